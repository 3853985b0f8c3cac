agent = "me"

"""Use cases of bots and their versions: uploading and validating."""

"""The pages that people read, and the forms on them."""

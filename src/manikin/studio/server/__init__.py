"""The web server: who may connect, and what may be uploaded."""

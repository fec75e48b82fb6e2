"""What is being edited, apart from any window: the document, its history, and the solver that keeps it posed."""

"""Following markers and sensors: least squares over a tree, frame after frame."""

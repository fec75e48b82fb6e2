"""How the human's natural postures were learned: recordings, retargeting, learning and checking on people left out."""

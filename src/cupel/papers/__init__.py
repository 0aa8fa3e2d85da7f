"""The four papers' tables: as published, as recorded after a training, and as computed here.

Only `cupel reproduce` imports this room; nothing that scores, judges or trains depends on it.
"""

"""Dependency trees: the tree itself, CoNLL-U, the parser with its cache, head conventions."""

from cupel.syntax.given import GivenTrees
from cupel.syntax.parser import Parser, TreeSource, Words, reference_trees, tree_source
from cupel.syntax.tree import Tree
from cupel.syntax.trees import Trees

__all__ = [
    "GivenTrees",
    "Parser",
    "Tree",
    "TreeSource",
    "Trees",
    "Words",
    "reference_trees",
    "tree_source",
]

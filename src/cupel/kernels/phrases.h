/* Phrases as nodes of a trie, and their places in sentences. */

#ifndef CUPEL_PHRASES_H
#define CUPEL_PHRASES_H

#include "room.h"

/* A node of the flat trie: its word, and where its children and its entries start; those of node n
   end where those of n + 1 start. */
typedef struct {
    i32 word, children, entries, is_paraphrase;
} Node;

/* A phrase of the paraphrase table in a sentence. */
typedef struct {
    i32 start, length, node, first_entry, end_of_entries, is_paraphrase;
} Phrase;

#endif

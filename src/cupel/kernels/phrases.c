/* Phrases as nodes of a trie: reading a paraphrase table into one, and finding them in sentences.

   While a table is read, the trie is a hash table (node, word) -> node. The finished trie is flat:
   nodes are numbered level by level, the children of a node are neighbours in order of their word,
   so that two arrays hold it: the word of each node, and where its children start. */

#include "room.h"

/* Why `read_records` stopped. */
enum { END, WORDS_FULL, NODES_FULL, ENTRIES_FULL, NOT_A_NUMBER, EMPTY_PHRASE };

#define MIX 0x9E3779B97F4A7C15u

typedef struct {
    i64 key, node;  /* key: node and word that it continues; 0 where the slot is free */
} Slot;

/* A table while it is read: see `cupel.kernels.phrases.Growing`. */
typedef struct {
    i64 *used;  /* words, bytes of words, nodes, entries */
    i32 *word_slots;
    i64 *word_ends;
    i32 *word_nodes;  /* the child of the root by word, -1 where there is none */
    u8 *word_bytes;
    Slot *node_slots;
    i32 *node_parent;
    i32 *node_word;
    i32 *phrase;
    i32 *paraphrase;
    float *weight;
    i64 word_size, byte_size, node_size, entry_size;  /* slots are a power of 2 */
} Growing;

static Growing table_of(void **arrays, const i64 *sizes) {
    return (Growing){
        arrays[0], arrays[1], arrays[2],  arrays[3], arrays[4], arrays[5], arrays[6], arrays[7],
        arrays[8], arrays[9], arrays[10], sizes[0],  sizes[1],  sizes[2],  sizes[3],
    };
}

static inline bool is_blank(u8 byte) {
    return byte == 32 || byte == 9 || byte == 12 || byte == 13;
}

static inline bool is_digit(u8 byte) { return 48 <= byte && byte <= 57; }

/* Where the line that starts here ends, or -1 where it is not all there. */
static inline i64 line_end(const u8 *text, i64 start, i64 end) {
    const u8 *found = start < end ? memchr(text + start, 10, (size_t)(end - start)) : NULL;
    return found == NULL ? -1 : found - text;
}

/* 10 to a power, by repeated squaring: the same last bit everywhere, which `pow` does not promise. */
static double power_of_ten(i64 exponent) {
    double result = 1, square = 10;
    for (i64 left = exponent < 0 ? -exponent : exponent; left > 0; left >>= 1) {
        if (left & 1) result *= square;
        square *= square;
    }
    return exponent < 0 ? 1 / result : result;
}

/* A decimal number, perhaps with an exponent; NaN where there is none. */
static double number_of(const u8 *text, i64 start, i64 end) {
    double value = 0, scale = 1;
    i64 exponent = 0, digits = 0, at = start;
    for (; at < end && is_digit(text[at]); at++, digits++) value = value * 10 + (text[at] - 48);
    if (at < end && text[at] == '.') {
        for (at++; at < end && is_digit(text[at]); at++, digits++) {
            value = value * 10 + (text[at] - 48);
            scale *= 10;
        }
    }
    if (digits > 0 && at < end && (text[at] == 'E' || text[at] == 'e')) {
        at++;
        bool negative = at < end && text[at] == '-';
        if (at < end && (text[at] == '-' || text[at] == '+')) at++;
        for (; at < end && is_digit(text[at]); at++)
            exponent = least(exponent * 10 + (text[at] - 48), 400);
        if (negative) exponent = -exponent;
    }
    while (at < end && is_blank(text[at])) at++;
    if (digits == 0 || at < end) return NAN;
    return value / scale * power_of_ten(exponent);
}

static inline u64 hash_of_word(const u8 *bytes, i64 length) {
    u64 code = (u64)length;
    for (i64 at = 0; at < length; at++) {
        code = (code ^ bytes[at]) * MIX;
        code ^= code >> 29;
    }
    return code;
}

/* The number of a word, a new one where it was not seen before. */
static i64 word_number(Growing *table, const u8 *bytes, i64 length) {
    i64 mask = table->word_size - 1;
    i64 slot = (i64)(hash_of_word(bytes, length) & (u64)mask);
    for (; table->word_slots[slot] >= 0; slot = (slot + 1) & mask) {
        i64 word = table->word_slots[slot], first = table->word_ends[word];
        if (table->word_ends[word + 1] - first == length &&
            memcmp(table->word_bytes + first, bytes, (size_t)length) == 0)
            return word;
    }
    i64 new = table->used[0]++;
    table->word_slots[slot] = (i32)new;
    memcpy(table->word_bytes + table->used[1], bytes, (size_t)length);
    table->used[1] += length;
    table->word_ends[new + 1] = table->used[1];
    return new;
}

/* The slot of the child of a node by a word, or the free one where it belongs. */
static inline Slot *slot_of(const Growing *table, i64 node, i64 word) {
    i64 key = node << 32 | word, mask = table->node_size - 1;
    i64 at = (i64)((u64)key * MIX >> 20) & mask;
    while (table->node_slots[at].key != 0 && table->node_slots[at].key != key) at = (at + 1) & mask;
    return &table->node_slots[at];
}

/* The child of a node by a word, a new one where there is none. */
static i64 child_of(Growing *table, i64 node, i64 word) {
    i64 new = table->used[2];
    if (node == 0) {
        if (table->word_nodes[word] >= 0) return table->word_nodes[word];
        table->word_nodes[word] = (i32)new;
    } else {
        Slot *slot = slot_of(table, node, word);
        if (slot->key != 0) return slot->node;
        *slot = (Slot){node << 32 | word, new};
    }
    table->used[2]++;
    table->node_parent[new] = (i32)node;
    table->node_word[new] = (i32)word;
    return new;
}

/* The node of a line's words; the root, 0, of an empty line. */
static i64 node_of_line(Growing *table, const u8 *text, i64 start, i64 end) {
    i64 node = 0;
    for (i64 at = start; at < end;) {
        while (at < end && is_blank(text[at])) at++;
        i64 first = at;
        while (at < end && !is_blank(text[at])) at++;
        if (at > first) node = child_of(table, node, word_number(table, text + first, at - first));
    }
    return node;
}

/* Read whole records (weight, phrase, paraphrase: a line each) from the start of `text`. stopped: how
   many bytes were read, and why it stopped: at a full array (make it larger and go on), at a wrong
   line (used[3] records were right), or at the end. */
KERNEL(read_records)(
    const u8 *text, i64 end, void **arrays, const i64 *sizes, i64 *stopped
) {
    Growing table = table_of(arrays, sizes);
    i64 at = 0, state = END;
    i64 phrase = 0, phrase_start = 0, phrase_length = -1;  /* tables list those of a phrase together */
    for (;;) {
        i64 first = line_end(text, at, end);
        i64 second = first >= 0 ? line_end(text, first + 1, end) : -1;
        i64 third = second >= 0 ? line_end(text, second + 1, end) : -1;
        if (third < 0) break;
        i64 room = third - first;  /* a record has no more words, or bytes in words, than characters */
        i64 *used = table.used;
        if (2 * (used[0] + room) > table.word_size || used[1] + room > table.byte_size)
            state = WORDS_FULL;
        else if (2 * (used[2] + room) > table.node_size)
            state = NODES_FULL;
        else if (used[3] == table.entry_size)
            state = ENTRIES_FULL;
        if (state != END) break;
        double weight = number_of(text, at, first);
        if (isnan(weight)) {
            state = NOT_A_NUMBER;
            break;
        }
        if (second - first - 1 != phrase_length ||
            memcmp(text + phrase_start, text + first + 1, (size_t)phrase_length) != 0) {
            phrase = node_of_line(&table, text, first + 1, second);
            phrase_start = first + 1;
            phrase_length = second - phrase_start;
        }
        i64 paraphrase = node_of_line(&table, text, second + 1, third);
        if (phrase == 0 || paraphrase == 0) {
            state = EMPTY_PHRASE;
            break;
        }
        i64 entry = used[3]++;
        table.phrase[entry] = (i32)phrase;
        table.paraphrase[entry] = (i32)paraphrase;
        table.weight[entry] = (float)weight;
        at = third + 1;
    }
    stopped[0] = at;
    stopped[1] = state;
    return DONE;
}

static void rehash_words(Growing *table) {
    i64 mask = table->word_size - 1;
    for (i64 word = 0; word < table->used[0]; word++) {
        i64 first = table->word_ends[word], length = table->word_ends[word + 1] - first;
        i64 slot = (i64)(hash_of_word(table->word_bytes + first, length) & (u64)mask);
        while (table->word_slots[slot] >= 0) slot = (slot + 1) & mask;
        table->word_slots[slot] = (i32)word;
    }
}

static void rehash_nodes(Growing *table) {
    for (i64 node = 1; node < table->used[2]; node++) {
        i64 parent = table->node_parent[node], word = table->node_word[node];
        if (parent > 0) *slot_of(table, parent, word) = (Slot){parent << 32 | word, node};
    }
}

/* Fill the (larger, empty) slots of what was full again. */
KERNEL(rehash)(void **arrays, const i64 *sizes, i64 state) {
    Growing table = table_of(arrays, sizes);
    if (state == WORDS_FULL) rehash_words(&table);
    if (state == NODES_FULL) rehash_nodes(&table);
    return DONE;
}

/* A node of the flat trie: its word, and where its children and its entries start; those of node n
   end where those of n + 1 start. */
typedef struct {
    i32 word, children, entries, is_paraphrase;
} Node;

/* Number the nodes level by level, siblings in order of their word; `order` is the inverse. Each
   level then lies as the nodes above it do: a walk through the trie, breadth first. */
static void number_nodes(Room *room, const Growing *table, i32 *number, i32 *order, Node *nodes) {
    i64 count = table->used[2], words = table->used[0], next = 1;
    i32 *ends = ZEROS(room, i32, most(count, words) + 2);
    i32 *by_word = NEW(room, i32, count), *children = NEW(room, i32, count);
    for (i64 node = 1; node < count; node++) ends[table->node_word[node] + 1]++;
    for (i64 word = 0; word < words; word++) ends[word + 1] += ends[word];
    for (i64 node = 1; node < count; node++) by_word[ends[table->node_word[node]]++] = (i32)node;
    memset(ends, 0, (size_t)(count + 2) * sizeof(i32));
    for (i64 node = 1; node < count; node++) ends[table->node_parent[node] + 2]++;
    for (i64 node = 0; node < count; node++) ends[node + 2] += ends[node + 1];
    for (i64 k = 0; k < count - 1; k++)
        children[ends[table->node_parent[by_word[k]] + 1]++] = by_word[k];
    order[0] = number[0] = 0;
    for (i64 k = 0; k < count; k++) {
        i32 node = order[k];
        nodes[k] = (Node){table->node_word[node], (i32)next, 0, 0};
        for (i64 child = ends[node]; child < ends[node + 1]; child++, next++) {
            order[next] = children[child];
            number[children[child]] = (i32)next;
        }
    }
    nodes[count] = (Node){0, (i32)next, 0, 0};
}

/* The finished trie, (nodes + 1,), and its entries in the order of their phrase, else as read. */
KERNEL(flatten)(void **arrays, const i64 *sizes, Node *nodes, i32 *paraphrases, float *weights) {
    OPEN(room);
    Growing table = table_of(arrays, sizes);
    i64 count = table.used[2], entries = table.used[3];
    i32 *number = NEW(&room, i32, count), *order = NEW(&room, i32, count);
    number_nodes(&room, &table, number, order, nodes);
    i32 *places = ZEROS(&room, i32, count + 1);
    for (i64 entry = 0; entry < entries; entry++) places[number[table.phrase[entry]] + 1]++;
    for (i64 node = 0; node < count; node++) {
        places[node + 1] += places[node];
        nodes[node + 1].entries = places[node + 1];
    }
    for (i64 entry = 0; entry < entries; entry++) {
        i32 place = places[number[table.phrase[entry]]]++;
        i32 paraphrase = number[table.paraphrase[entry]];
        paraphrases[place] = paraphrase;
        weights[place] = table.weight[entry];
        nodes[paraphrase].is_paraphrase = 1;
    }
    return leave(&room, DONE);
}

typedef struct {
    i32 start, length, node, first_entry, end_of_entries, is_paraphrase;
} Phrase;

/* The child of a node by a word, -1 where there is none. */
static inline i64 find_child(const Node *nodes, i64 node, i32 word) {
    i64 low = nodes[node].children, high = nodes[node + 1].children, end = high;
    while (low < high) {
        i64 middle = (low + high) >> 1;
        if (nodes[middle].word < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && nodes[low].word == word ? low : -1;
}

/* first: the child of the root by word, -1 where there is none. */
KERNEL(find_phrases)(
    const i32 *words, const i64 *offsets, i64 sentences, const Node *nodes, const i32 *first,
    i64 *ends, Handed *phrases
) {
    OPEN(room);
    i64 size = 2 * offsets[sentences] + 16, count = 0;
    Phrase *rows = NEW(&room, Phrase, size);
    ends[0] = 0;
    for (i64 s = 0; s < sentences; s++) {
        i64 start = offsets[s], end = offsets[s + 1];
        for (i64 i = start; i < end; i++) {
            if (words[i] < 0) continue;
            i64 node = first[words[i]];
            for (i64 k = i + 1; node >= 0; k++) {
                i32 entry = nodes[node].entries, end_of_entries = nodes[node + 1].entries;
                if (entry < end_of_entries || nodes[node].is_paraphrase) {
                    if (count == size) {
                        size *= 2;
                        rows = larger(&room, rows, count, size, sizeof(Phrase));
                    }
                    rows[count++] = (Phrase){(i32)(i - start), (i32)(k - i), (i32)node, entry,
                                             end_of_entries, nodes[node].is_paraphrase};
                }
                if (k == end || words[k] < 0) break;
                node = find_child(nodes, node, words[k]);
            }
        }
        ends[s + 1] = count;
    }
    hand_over(&room, phrases, rows, count, sizeof(Phrase));
    return leave(&room, DONE);
}

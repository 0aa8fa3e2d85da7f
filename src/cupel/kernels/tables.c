/* Reading a paraphrase table into a trie of phrases.

   While it is read, the trie is a hash table (node, word) -> node. The finished trie is flat: nodes
   are numbered level by level, the children of a node are neighbours in order of their word. */

#include "phrases.h"

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
    u64 code = (u64)length, part = 0;
    for (i64 at = 0; at < length; at++) {
        part = part << 8 | bytes[at];
        if (at % 8 == 7 || at == length - 1) {
            code = (code ^ part) * MIX;
            code ^= code >> 29;
        }
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

/* Where the slot of the child of a node by a word is looked for. */
static inline Slot *first_slot(const Growing *table, i64 node, i64 word) {
    u64 key = (u64)(node << 32 | word);
    return &table->node_slots[(i64)(key * MIX >> 20) & (table->node_size - 1)];
}

/* The slot of the child of a node by a word, or the free one where it belongs. */
static inline Slot *slot_of(const Growing *table, i64 node, i64 word) {
    i64 key = node << 32 | word;
    Slot *slot = first_slot(table, node, word), *end = table->node_slots + table->node_size;
    while (slot->key != 0 && slot->key != key)
        if (++slot == end) slot = table->node_slots;
    return slot;
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

/* A line of words, and the node that it leads to. */
typedef struct {
    const u8 *text;
    i64 length;
    const i32 *words;
    i64 count, node;
} Line;

static Line line_of(Growing *table, const u8 *text, i64 length, i32 *words) {
    Line line = {text, length, words, 0, 0};
    for (i64 at = 0; at < length;) {
        while (at < length && is_blank(text[at])) at++;
        i64 first = at;
        while (at < length && !is_blank(text[at])) at++;
        if (at > first) words[line.count++] = (i32)word_number(table, text + first, at - first);
    }
    return line;
}

/* Records that are read together, so that the nodes of many lines can be fetched at once: the table
   is far larger than any cache. */
enum { RECORDS = 512 };

typedef struct {
    Line lines[2 * RECORDS];
    i64 line_count;
    i32 phrase[RECORDS], paraphrase[RECORDS];  /* which lines */
    double weight[RECORDS];
    i64 count;
    i32 *words;
    i64 word_count;
} Records;

static void find_nodes(Growing *table, Records *records) {
    bool more = true;
    for (i64 depth = 0; more; depth++) {
        more = false;
        for (i64 k = 0; k < records->line_count; k++) {
            const Line *line = &records->lines[k];
            if (depth >= line->count) continue;
            more = true;
            if (depth > 0) __builtin_prefetch(first_slot(table, line->node, line->words[depth]), 1);
        }
        for (i64 k = 0; k < records->line_count; k++) {
            Line *line = &records->lines[k];
            if (depth < line->count) line->node = child_of(table, line->node, line->words[depth]);
        }
    }
}

static void put_records(Growing *table, Records *records) {
    find_nodes(table, records);
    for (i64 k = 0; k < records->count; k++) {
        i64 entry = table->used[3]++;
        table->phrase[entry] = (i32)records->lines[records->phrase[k]].node;
        table->paraphrase[entry] = (i32)records->lines[records->paraphrase[k]].node;
        table->weight[entry] = (float)records->weight[k];
    }
    records->count = records->line_count = records->word_count = 0;
}

/* The number of a line; of the one before the last, if that is the same: tables list the paraphrases
   of a phrase together. */
static i32 add_line(Growing *table, Records *records, const u8 *text, i64 length) {
    if (records->count > 0) {
        i32 last = records->phrase[records->count - 1];
        const Line *line = &records->lines[last];
        if (line->length == length && memcmp(line->text, text, (size_t)length) == 0) return last;
    }
    Line line = line_of(table, text, length, records->words + records->word_count);
    records->word_count += line.count;
    records->lines[records->line_count] = line;
    return (i32)records->line_count++;
}

/* What is full, if there might not be room for a record of so many bytes, which has no more words. */
static i64 full_part(const Growing *table, const Records *records, i64 bytes) {
    const i64 *used = table->used;
    if (2 * (used[0] + bytes) > table->word_size || used[1] + bytes > table->byte_size)
        return WORDS_FULL;
    if (2 * (used[2] + records->word_count + bytes) > table->node_size) return NODES_FULL;
    return used[3] + records->count == table->entry_size ? ENTRIES_FULL : END;
}

/* Read whole records (weight, phrase, paraphrase: a line each) from the start of `text`. stopped: how
   many bytes were read, and why it stopped: at a full array (make it larger and go on), at a wrong
   line (used[3] records were right), or at the end. */
KERNEL(read_records)(
    const u8 *text, i64 end, void **arrays, const i64 *sizes, i64 *stopped
) {
    OPEN(room);
    Growing table = table_of(arrays, sizes);
    Records *records = ZEROS(&room, Records, 1);
    records->words = NEW(&room, i32, end / 2 + 2);
    i64 at = 0, state = END;
    for (;;) {
        i64 first = line_end(text, at, end);
        i64 second = first >= 0 ? line_end(text, first + 1, end) : -1;
        i64 third = second >= 0 ? line_end(text, second + 1, end) : -1;
        if (third < 0) break;
        state = full_part(&table, records, third - first);
        if (state != END) break;
        i64 k = records->count;
        records->weight[k] = number_of(text, at, first);
        if (isnan(records->weight[k])) {
            state = NOT_A_NUMBER;
            break;
        }
        i32 phrase = add_line(&table, records, text + first + 1, second - first - 1);
        i32 paraphrase = add_line(&table, records, text + second + 1, third - second - 1);
        if (records->lines[phrase].count == 0 || records->lines[paraphrase].count == 0) {
            state = EMPTY_PHRASE;
            break;
        }
        records->phrase[k] = phrase;
        records->paraphrase[k] = paraphrase;
        records->count++;
        at = third + 1;
        if (records->count == RECORDS) put_records(&table, records);
    }
    put_records(&table, records);
    stopped[0] = at;
    stopped[1] = state;
    return leave(&room, DONE);
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
    u8 *is_paraphrase = ZEROS(&room, u8, count);  /* small, so that a cache holds it */
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
        is_paraphrase[paraphrase] = 1;
    }
    for (i64 node = 0; node < count; node++) nodes[node].is_paraphrase = is_paraphrase[node];
    return leave(&room, DONE);
}

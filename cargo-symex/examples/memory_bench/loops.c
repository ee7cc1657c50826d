// Loops that never end by themselves, as long as there is time: PROGRAM says which. Each has arrays that are read and
// written at indices that are inputs, and branches on what it reads.
#include "inputs.h"
#include <string.h>
#define ROUNDS 1000000u

struct node {
  struct node *next;
  unsigned value;
};

int main(void) {
  unsigned sum = 0;
#if PROGRAM == 0 // Counts how often it gets each input.
  unsigned count[64] = {0};
  for (unsigned round = 0; round < ROUNDS; round++) {
    count[below(64, "put")]++;
    if (count[below(64, "get")] > 2)
      sum++;
  }
#elif PROGRAM == 1 // Swaps elements.
  unsigned short element[32];
  for (unsigned k = 0; k < 32; k++)
    element[k] = k;
  for (unsigned round = 0; round < ROUNDS; round++) {
    unsigned i = below(32, "i"), j = below(32, "j");
    unsigned short other = element[i];
    element[i] = element[j];
    element[j] = other;
    if (element[round % 32] == 7)
      sum++;
  }
#elif PROGRAM == 2 // A set with open addressing.
  unsigned char table[64] = {0};
  for (unsigned round = 0; round < ROUNDS; round++) {
    unsigned char key = 1 + below(200, "key");
    unsigned at = key % 64, steps = 0;
    while (table[at] != 0 && table[at] != key && steps++ < 8)
      at = (at + 1) % 64;
    table[at] = key;
  }
#elif PROGRAM == 3 // Writes words and reads bytes.
  union {
    unsigned word[16];
    unsigned char byte[64];
  } both = {{0}};
  for (unsigned round = 0; round < ROUNDS; round++) {
    both.word[below(16, "word")] = below(100000, "value");
    if (both.byte[below(64, "byte")] == both.byte[round % 64])
      sum++;
  }
#elif PROGRAM == 4 // Fills as many bytes as an input says.
  unsigned char buffer[64] = {0};
  for (unsigned round = 0; round < ROUNDS; round++) {
    unsigned start = below(64, "start"), len = below(64, "len");
    if (len > 64 - start)
      len = 64 - start;
    memset(buffer + start, round, len);
    buffer[below(64, "mark")] = 255;
    if (buffer[below(64, "at")] == (unsigned char)round)
      sum++;
  }
#elif PROGRAM == 5 // Links nodes with each other.
  struct node *nodes[8];
  for (unsigned k = 0; k < 8; k++) {
    nodes[k] = malloc(sizeof *nodes[k]);
    nodes[k]->value = k;
    nodes[k]->next = nodes[k];
  }
  for (unsigned round = 0; round < ROUNDS; round++) {
    nodes[below(8, "from")]->next = nodes[below(8, "to")];
    nodes[below(8, "node")]->value += round;
    if (nodes[round % 8]->next->value > 10)
      sum++;
  }
#else // Mostly works at known places.
  unsigned char row[64] = {0};
  unsigned char seen[16] = {0};
  for (unsigned round = 0; round < ROUNDS; round++) {
    for (unsigned k = 1; k < 64; k++)
      row[k] += row[k - 1] + k;
    seen[below(16, "seen")] = row[round % 64] | 1;
    if (seen[round % 16])
      sum++;
  }
#endif
  if (sum == 77)
    reached = 1;
  return 0;
}

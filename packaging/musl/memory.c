/* Copies and comparisons of the static program. Most are of a few bytes, and those of its C library are made for many. */

#include <stddef.h>
#include <stdint.h>

typedef uint64_t words __attribute__((vector_size(16)));

/* From so many bytes on the processor copies by itself at least as fast. */
#define LARGE 1024

#define LOAD(kind, from) ({ kind loaded; __builtin_memcpy(&loaded, (from), sizeof loaded); loaded; })
#define STORE(to, value) ({ __typeof__(value) stored = (value); __builtin_memcpy((to), &stored, sizeof stored); })

/* Reads the first and the last bytes, which may overlap, before it writes either. */
#define COPY_ENDS(kind)                                 \
  ({                                                    \
    kind first = LOAD(kind, from);                      \
    kind last = LOAD(kind, from + size - sizeof(kind)); \
    STORE(to, first);                                   \
    STORE(to + size - sizeof(kind), last);              \
  })

/* Up to 16 bytes. */
static inline void copy_few(unsigned char *to, const unsigned char *from, size_t size) {
  if (size >= 8) {
    COPY_ENDS(uint64_t);
  } else if (size >= 4) {
    COPY_ENDS(uint32_t);
  } else if (size >= 2) {
    COPY_ENDS(uint16_t);
  } else if (size) {
    *to = *from;
  }
}

/* From the front on: the target may also lie before its source and overlap it. */
static inline void copy_up(unsigned char *to, const unsigned char *from, size_t size) {
  if (size < 16) return copy_few(to, from, size);
  if (size >= LARGE) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
    return;
  }
  words last = LOAD(words, from + size - 16);
  unsigned char *end = to + size - 16;
  for (; to < end; to += 16, from += 16) STORE(to, LOAD(words, from));
  STORE(end, last);
}

void *memcpy(void *restrict target, const void *restrict source, size_t size) {
  copy_up(target, source, size);
  return target;
}

void *memmove(void *target, const void *source, size_t size) {
  unsigned char *to = target;
  const unsigned char *from = source;
  if ((uintptr_t)to - (uintptr_t)from >= size) {
    copy_up(to, from, size);
  } else if (size < 16) {
    copy_few(to, from, size);
  } else {
    words first = LOAD(words, from);
    for (; size > 16; size -= 16) STORE(to + size - 16, LOAD(words, from + size - 16));
    STORE(to, first);
  }
  return target;
}

int memcmp(const void *one, const void *other, size_t size) {
  const unsigned char *a = one, *b = other;
  while (size >= 8) {
    uint64_t left = LOAD(uint64_t, a), right = LOAD(uint64_t, b);
    if (left != right) return __builtin_bswap64(left) < __builtin_bswap64(right) ? -1 : 1;
    a += 8, b += 8, size -= 8;
  }
  for (; size; a++, b++, size--) {
    if (*a != *b) return *a - *b;
  }
  return 0;
}

int bcmp(const void *one, const void *other, size_t size) {
  const unsigned char *a = one, *b = other;
  if (size >= 8) {
    uint64_t differing = LOAD(uint64_t, a + size - 8) ^ LOAD(uint64_t, b + size - 8);
    for (; size > 8; a += 8, b += 8, size -= 8) {
      differing |= LOAD(uint64_t, a) ^ LOAD(uint64_t, b);
      if (differing) return 1;
      if (size < 16) break;
    }
    return differing != 0;
  }
  if (size >= 4) {
    return LOAD(uint32_t, a) != LOAD(uint32_t, b) || LOAD(uint32_t, a + size - 4) != LOAD(uint32_t, b + size - 4);
  }
  for (; size; a++, b++, size--) {
    if (*a != *b) return 1;
  }
  return 0;
}

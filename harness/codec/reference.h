#ifndef HARNESS_CODEC_REFERENCE_H
#define HARNESS_CODEC_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

#include "lib/buf.h"
#include "lib/slice.h"

/**
 * DOC: What every reply's body must be. Given by the caller, or learned from the first whole
 * reply of the run; then the same for all threads. Bodies up to REFERENCE_BYTES_MAX are compared
 * byte by byte, larger ones by length and a 64-bit hash, so that a body of gigabytes needs no
 * memory.
 */

#define REFERENCE_BYTES_MAX (1u << 20)

struct reference;

/** reference_new() - @expect.data NULL: to be learned. Return: owned by the caller, or NULL. */
struct reference *reference_new(struct slice expect);

/** reference_free() - Also of NULL. */
void reference_free(struct reference *reference);

/** reference_learned() - True when the body came from a reply. */
bool reference_learned(const struct reference *reference);

/** enum check_level - How closely a body is compared. */
enum check_level { CHECK_BYTES, CHECK_LENGTH, CHECK_NOTHING };

/** struct body_check - One reply's body on its way in. A zeroed struct is not yet begun. */
struct body_check {
	struct reference *reference;       /* NULL: nothing is compared */
	const struct reference_body *body; /* what it is compared with; NULL: not known yet */
	enum check_level level;
	uint64_t len;       /* bytes so far */
	bool differs;       /* some byte differs from the reference */
	bool hashing;       /* too large to be kept: @hash has it */
	struct buf learn;   /* the body so far, while there is no reference */
	XXH3_state_t *hash; /* kept for the next large body */
};

/** body_begin() - Start on a new body. */
void body_begin(struct body_check *check, struct reference *reference, enum check_level level);

/** body_add() - The next bytes of it. */
void body_add(struct body_check *check, const char *data, size_t len);

/**
 * body_end() - It is whole.
 * @learnable: it becomes the reference when there is none yet.
 *
 * Return: true when it is as expected.
 */
bool body_end(struct body_check *check, bool learnable);

/** body_free() - Let go of what it holds. */
void body_free(struct body_check *check);

#endif

/*
 * Runs a target without libFuzzer: over each file of its corpus, then over changed copies of them,
 * the same ones each time. With arguments, over those files alone. What broke it is left beside
 * the program, as NAME.broken.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/buf.h"
#include "tests/fuzz/fuzz.h"

#define CORPUS     "tests/fuzz/corpus"
#define SEEDS_MAX  256
#define CHANGED    5000 /* inputs, of all seeds together */
#define CHANGES    6    /* of an input, at most */
#define STRETCH    32   /* bytes of one change, at most */
#define LENGTH_MAX 8192

struct seeds {
	struct buf list[SEEDS_MAX];
	size_t n;
};

static uint64_t random_state = 1;

/* Below @limit; xorshift64, Marsaglia 2003. */
static size_t random_below(size_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (size_t)(random_state >> 16) % limit;
}

static int read_seed(struct seeds *seeds, const char *path)
{
	struct buf *seed = &seeds->list[seeds->n];
	FILE *file = seeds->n < SEEDS_MAX ? fopen(path, "rb") : NULL;

	if (file == NULL || buf_reserve(seed, LENGTH_MAX) != 0) {
		fprintf(stderr, "cannot read %s\n", path);
		return -1;
	}
	seed->end += fread(buf_tail(seed), 1, LENGTH_MAX, file);
	fclose(file);
	seeds->n++;
	return 0;
}

static int read_corpus(struct seeds *seeds, const char *target)
{
	char path[512];
	struct dirent **names = NULL;
	int n;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/%s", CORPUS, target);
	n = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", CORPUS, target, names[i]->d_name);
		if (ret == 0 && names[i]->d_name[0] != '.')
			ret = read_seed(seeds, path);
		free(names[i]);
	}
	free(names);
	return seeds->n > 0 ? ret : -1;
}

/* One change of @data, which has room for LENGTH_MAX bytes. */
static void change(struct buf *data, const struct seeds *seeds)
{
	static const unsigned char telling[] = {0, 1, 0x7f, 0x80, 0xff, '\r', '\n', '"', '}'};
	const struct buf *other = &seeds->list[random_below(seeds->n)];
	size_t len = buf_len(data);
	size_t at = random_below(len + 1);
	size_t stretch = 1 + random_below(STRETCH);

	switch (random_below(16)) {
	default:
		if (at < len)
			data->data[at] ^= (char)(1 << random_below(8));
		break;
	case 1:
		if (at < len)
			data->data[at] = (char)telling[random_below(sizeof(telling))];
		break;
	case 2: /* without a stretch */
		stretch = stretch < len - at ? stretch : len - at;
		memmove(data->data + at, data->data + at + stretch, len - at - stretch);
		data->end -= stretch;
		break;
	case 3: /* a stretch twice */
		stretch = stretch < len - at ? stretch : len - at;
		if (len + stretch > LENGTH_MAX)
			break;
		memmove(data->data + at + stretch, data->data + at, len - at);
		data->end += stretch;
		break;
	case 4: /* goes on as another seed does */
		stretch = random_below(buf_len(other) + 1);
		data->end = at;
		if (at + buf_len(other) - stretch <= LENGTH_MAX)
			buf_append(data, buf_head(other) + stretch, buf_len(other) - stretch);
		break;
	case 5:
		data->end = at;
	}
}

/* Runs the target on a copy of its own, which is on disk as long as that takes. */
static void run(int fd, const char *data, size_t len)
{
	uint8_t *copy = malloc(len > 0 ? len : 1);

	fuzz_check(copy != NULL && ftruncate(fd, (off_t)len) == 0 &&
		   pwrite(fd, data, len, 0) == (ssize_t)len);
	if (len > 0)
		memcpy(copy, data, len);
	LLVMFuzzerTestOneInput(copy, len);
	free(copy);
}

static void run_changed(int fd, const struct seeds *seeds)
{
	struct buf data = {0};

	fuzz_check(buf_reserve(&data, LENGTH_MAX) == 0);
	for (size_t i = 0; i < CHANGED; i++) {
		const struct buf *seed = &seeds->list[i % seeds->n];

		data.end = buf_len(seed);
		memcpy(data.data, buf_head(seed), data.end);
		for (size_t n = 1 + random_below(CHANGES); n > 0; n--)
			change(&data, seeds);
		run(fd, buf_head(&data), buf_len(&data));
	}
	buf_free(&data);
}

/* The target's name, from the program's: build/VARIANT/test/fuzz_NAME. */
static const char *target_of(const char *program)
{
	const char *name = strrchr(program, '/');

	name = name != NULL ? name + 1 : program;
	return strncmp(name, "fuzz_", 5) == 0 ? name + 5 : name;
}

int main(int argc, char **argv)
{
	static struct seeds seeds;
	char broken[512];
	int ret = 0;
	int fd;

	for (int i = 1; ret == 0 && i < argc; i++)
		ret = read_seed(&seeds, argv[i]);
	if (argc == 1)
		ret = read_corpus(&seeds, target_of(argv[0]));
	snprintf(broken, sizeof(broken), "%s.broken", argv[0]);
	fd = open(broken, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (ret != 0 || fd < 0) {
		fprintf(stderr, "no corpus, or no room for %s\n", broken);
		return 1;
	}
	for (size_t i = 0; i < seeds.n; i++)
		run(fd, buf_head(&seeds.list[i]), buf_len(&seeds.list[i]));
	if (argc == 1)
		run_changed(fd, &seeds);
	close(fd);
	unlink(broken);
	for (size_t i = 0; i < seeds.n; i++)
		buf_free(&seeds.list[i]);
	printf("1..1\nok 1 - %s\n", target_of(argv[0]));
	return 0;
}

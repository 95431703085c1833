#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/**
 * DOC: A fuzz target is a function that takes any bytes and must neither crash nor find a rule
 * broken. `make fuzz` links it with clang's libFuzzer, make check with driver.c, which needs no
 * special compiler. Seeds, and inputs that once broke something, are in corpus/TARGET.
 */

/** LLVMFuzzerTestOneInput() - The target, by the name that libFuzzer calls. Return: 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** fuzz_check() - A rule that must hold, whatever the input; else the program aborts. */
#define fuzz_check(condition) ((condition) ? (void)0 : fuzz_broken(#condition, __FILE__, __LINE__))

/** fuzz_broken() - Says what is broken, and aborts. */
_Noreturn void fuzz_broken(const char *condition, const char *file, int line);

/** fuzz_piece() - How long the pieces are that an input comes in, as one of its bytes says. */
size_t fuzz_piece(uint8_t byte);

/** fuzz_file() - Make @data a file. Return: its path, until the next call. */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif

# Flags by variant. The user's CPPFLAGS, CFLAGS and LDFLAGS come last and are never changed.
CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
CXX := $(if $(filter default,$(origin CXX)),g++,$(CXX))
PKG_CONFIG ?= pkg-config

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2
FLAGS_release := -O2 -g -DNDEBUG
FLAGS_debug := -Og -g
FLAGS_asan := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
# clang's check of pointers also finds NULL + 0, of which an empty buffer has plenty, harmlessly.
FLAGS_fuzz := -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer,address,undefined \
	-fno-sanitize=pointer-overflow -fno-sanitize-recover=all
FLAGS_tsan := -O1 -g -fno-omit-frame-pointer -fsanitize=thread
ifeq ($(FLAGS_$(BUILD)),)
$(error unknown BUILD=$(BUILD), expected release, debug, asan or tsan)
endif

VERSION := 0.1.0
ALL_CPPFLAGS = -I. -I$(G) -I$(LLHTTP_INCLUDE) -D_GNU_SOURCE -DRPCBENCH_VERSION='"$(VERSION)"' $(CPPFLAGS)
ALL_CFLAGS = -std=c11 -pthread $(WARNINGS) $(FLAGS_$(BUILD)) $(CFLAGS)
ALL_CXXFLAGS = -pthread -Wall $(FLAGS_$(BUILD)) $(CXXFLAGS)
ALL_LDFLAGS = $(FLAGS_$(BUILD)) -pthread $(LDFLAGS)
# Generated and foreign C is compiled as it comes.
FOREIGN_CFLAGS = -std=gnu11 -pthread -w $(FLAGS_$(BUILD)) $(CFLAGS)

# A changed compiler or flag rebuilds: the stamp is rewritten only when its text differs.
FLAGS_TEXT = $(CC) $(CXX) $(ALL_CPPFLAGS) | $(ALL_CFLAGS) | $(ALL_CXXFLAGS) | $(ALL_LDFLAGS) | \
	$(foreach l,$(LIBRARIES) $(FOREIGN_LIBRARIES),$($(l).FLAGS))
$(O)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(FLAGS_TEXT))' | cmp -s - $@ || \
		printf '%s\n' '$(subst ','\'',$(FLAGS_TEXT))' > $@
.PHONY: FORCE

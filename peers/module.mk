# The peers that make bench compares with.

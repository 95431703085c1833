SCENARIOS += tests/scenario/50-peers.bats

"""Fuzzing: targets that both twins have to survive and agree on. See README.md."""

"""Real Kafka brokers and Kafka's own Java classes for tests and benchmarks, put together from Maven artifacts.

Nothing in here uses kafkawire: what judges the codec must not share its mistakes. See README.md beside this file.
"""

"""Scores and alignments over HTTP, as `cupel serve` offers them.

A request is checked (`requests`), waits in a bounded queue and is merged with others (`batching`), is
computed in a worker process (`work`), and counted (`counters`). `app` has the addresses,
`openapi` their description, `page` the pages for people, `server` the start and the clean stop.
"""

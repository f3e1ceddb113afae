"""From a log to a usability report: the queries, the engines that answer them, and the numbers."""

"""One node: discovers cards, runs pods under keepers, tells what is true. No cluster-wide view."""

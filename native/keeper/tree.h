/* Everything that descends from the keeper. As the subreaper it is an ancestor of whatever the
 * program starts, through double forks and new sessions alike, for as long as the keeper lives.
 */
#ifndef SHOAL_TREE_H
#define SHOAL_TREE_H

/* Sends a signal to every descendant found in one look at /proc. What is forked meanwhile is
 * missed: to end a tree, repeat until the keeper has no child left. */
void tree_signal(int signal);

#endif

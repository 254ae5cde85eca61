"""Expressions (CEL) as definitions use them, compiled to closures and bounded in steps.

What is here is what validation rules need. An expression that uses more is refused when it is
compiled, so that none is ever read otherwise than it was meant. There is no clock, no I/O and no
state: the same values always give the same answer.

Source: https://github.com/google/cel-spec/blob/master/doc/langdef.md
"""

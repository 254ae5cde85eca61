"""Reasons and answers in English, for people. The facts are in the structs; no clock is read.

``Clock`` turns ms since the epoch into what people read (``14:40``).
"""

from shoal.core.words.answers import say_explanation, say_forecast, say_plan, say_sooner
from shoal.core.words.cards import say_card_holder, say_free, say_placement
from shoal.core.words.holders import Clock, say_holder
from shoal.core.words.reasons import say_reason, say_wait
from shoal.core.words.share import say_share

__all__ = [
    "Clock",
    "say_card_holder",
    "say_explanation",
    "say_forecast",
    "say_free",
    "say_holder",
    "say_placement",
    "say_plan",
    "say_reason",
    "say_share",
    "say_sooner",
    "say_wait",
]

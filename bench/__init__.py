"""kafkawire beside its peers and beside the limits of the machine: ``python -m bench`` or ``make bench``.

``datasets`` makes the bytes, ``limits`` says how fast anything could be, ``peers`` and ``subject`` say how each
competitor does the same job, ``decode``, ``encode``, ``memory`` and ``pure`` measure, ``targets`` says what is to be
reached, ``report`` prints. ``instructions`` counts instead of timing.
"""

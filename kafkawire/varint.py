"""Varints as Kafka has them: zigzag (varint, varlong) in records v2, unsigned in flexible messages.

``decode_*(data, pos=0) -> (value, pos)`` raise TruncatedError where the data ends inside, CorruptError for more bytes
or bits than the type has. ``encode_*(value) -> bytes`` raise EncodeError for a value out of range.
"""

from kafkawire import _twins

decode_varint = _twins.varint.decode_varint
decode_varlong = _twins.varint.decode_varlong
decode_unsigned_varint = _twins.varint.decode_unsigned_varint
decode_unsigned_varlong = _twins.varint.decode_unsigned_varlong
encode_varint = _twins.varint.encode_varint
encode_varlong = _twins.varint.encode_varlong
encode_unsigned_varint = _twins.varint.encode_unsigned_varint
encode_unsigned_varlong = _twins.varint.encode_unsigned_varlong

__all__ = [
    "decode_unsigned_varint",
    "decode_unsigned_varlong",
    "decode_varint",
    "decode_varlong",
    "encode_unsigned_varint",
    "encode_unsigned_varlong",
    "encode_varint",
    "encode_varlong",
]

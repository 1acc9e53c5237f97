"""The message format and the protocol of Kafka 0.6 and 0.7 (0.6 is the same without compression).

::

    from kafkawire.ancient import v07

    for message in v07.read_messages(data, base=offset):
        print(message.start, message.value)

``messages``: bytes to messages and back; ``columns``: to Arrow; ``protocol``: requests and responses; ``connection``:
both sides of a connection, without a socket. Segment files are read by kafkawire.log. The sources are "Writing a Driver
for Kafka", and the brokers of 0.6 to 0.7.2 for all that it leaves open.
"""

from kafkawire.ancient.v07.columns import COLUMNS, iter_columns, read_columns
from kafkawire.ancient.v07.connection import (
    Answer,
    ClientConnection,
    Closed,
    ServerConnection,
)
from kafkawire.ancient.v07.messages import (
    Message,
    MessageIterator,
    encode_message,
    next_fetch_offset,
    read_messages,
    read_outer_messages,
    split,
    wrap,
    write_messages,
)
from kafkawire.ancient.v07.protocol import (
    EARLIEST_TIME,
    LATEST_TIME,
    RANDOM_PARTITION,
    ErrorCode,
    FetchRequest,
    FetchResponse,
    MultiFetchRequest,
    MultiFetchResponse,
    MultiProduceRequest,
    OffsetsRequest,
    OffsetsResponse,
    ProduceRequest,
    Request,
    RequestType,
    Response,
    decode_request,
)
from kafkawire.errors import LocalProtocolError

__all__ = [
    "COLUMNS",
    "EARLIEST_TIME",
    "LATEST_TIME",
    "RANDOM_PARTITION",
    "Answer",
    "ClientConnection",
    "Closed",
    "ErrorCode",
    "FetchRequest",
    "FetchResponse",
    "LocalProtocolError",
    "Message",
    "MessageIterator",
    "MultiFetchRequest",
    "MultiFetchResponse",
    "MultiProduceRequest",
    "OffsetsRequest",
    "OffsetsResponse",
    "ProduceRequest",
    "Request",
    "RequestType",
    "Response",
    "ServerConnection",
    "decode_request",
    "encode_message",
    "iter_columns",
    "next_fetch_offset",
    "read_columns",
    "read_messages",
    "read_outer_messages",
    "split",
    "wrap",
    "write_messages",
]

from kafkawire.ancient.v07.columns import COLUMNS, iter_columns, read_columns
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

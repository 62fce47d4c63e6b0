/** Replies that cannot be taken: told to the driver as errors of its own family, so that it lets go of the connection. */
import { MongoError } from 'mongodb';

/**
 * Bytes of the largest reply: one document. Source: MongoDB, `kOpMsgReplyBSONBufferMaxSize`, 16 MiB
 * and 64 KiB; the 48 MB of `maxMessageSizeBytes` are of several documents in one request.
 */
export const REPLY_MAX_BYTES = 17 * 1024 * 1024;

/** A reply that breaks the protocol. Its connection ends with it. */
export class ReplyFault extends MongoError {
  override get name(): string {
    return 'ReplyFault';
  }
}

/** A reply that is larger than it may be; its body was not read. */
export class ReplyTooLarge extends ReplyFault {
  override get name(): string {
    return 'ReplyTooLarge';
  }
}

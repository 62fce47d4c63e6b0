/** node-postgres's connection with a reader of ours: one that bounds what is kept, and survives what it is sent. */
import type { Duplex } from 'node:stream';
import { Connection } from 'pg';
import type { FieldValue } from '../../../kinds/postgres/dialect/encode.ts';
import { Unreadable } from '../loss.ts';
import { readMessage, readRow } from './backend-messages.ts';
import { Frames, type MessageReceiver } from './frames.ts';

const ROW = 0x44;
/** All that comes before a login is over as well as what comes at any time; none of it comes after. */
const LOGIN_ONLY = 'RK';
const AT_ANY_TIME = 'SNEZ';
/** ReadyForQuery: the first ends the login. */
const READY = 0x5a;

/** Rows go past the events: most messages are rows. */
export interface RowTaker {
  /** @param bytes that it came in */
  row(values: readonly FieldValue[], bytes: number): void;
  oversize(column: number | undefined): void;
}

/** The connection that a client is given. */
export class IncomingConnection extends Connection implements MessageReceiver {
  readonly frames = new Frames(this);
  /** Set once the login is over. */
  rows: RowTaker | undefined;
  #ended = false;

  /** What node-postgres calls once the stream is there, instead of its own reader. */
  attachListeners(stream: Duplex): void {
    stream.on('data', (chunk: Buffer) => {
      if (this.#ended) return;
      try {
        this.frames.take(chunk);
      } catch (error) {
        // What follows cannot be read: the waiting call sees a lost connection.
        this.#ended = true;
        stream.destroy(error instanceof Error ? error : new Unreadable(String(error)));
      }
    });
  }

  message(letter: number, buffer: Buffer, at: number, end: number): void {
    if (letter === ROW) {
      if (!this.rows) throw new Unreadable('a row before anybody asked');
      this.rows.row(readRow(buffer, at, end), end - at);
      return;
    }
    const name = String.fromCharCode(letter);
    const isLogin = LOGIN_ONLY.includes(name);
    if (!AT_ANY_TIME.includes(name) && isLogin === this.frames.open) {
      throw new Unreadable('a message at the wrong time');
    }
    const message = readMessage(letter, buffer, at, end);
    if (letter === READY) this.frames.open = true;
    this.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
  }

  oversize(column: number | undefined): void {
    if (!this.rows) throw new Unreadable('a row before anybody asked');
    this.rows.oversize(column);
  }
}

/** Positions in a server's binary log as text: the server, the file, and a place in it. */
import { badRequest } from '../../../../proto/errors.ts';

/** Where a reader is. */
export interface Position {
  /** `@@server_id`: files of another server have other places. */
  readonly server: string;
  readonly file: string;
  /** Every transaction that was committed up to here was told whole. */
  readonly whole: number;
  /** Of the transaction that follows, every row up to this one. */
  readonly within?: RowPlace | undefined;
  /** Where the oldest transaction begins that was prepared before and has not ended: the log is read from there. */
  readonly from?: LogPlace | undefined;
}

/** A place in one of a server's files. */
export interface LogPlace {
  readonly file: string;
  readonly place: number;
}

/** A row by where the event ends that reports it, and its number in that, from 0. */
export interface RowPlace {
  readonly end: number;
  readonly nth: number;
}

/** The position as text: its parts joined by spaces. */
export function positionText({ server, file, whole, within, from }: Position): string {
  const row = within === undefined ? '' : ` ${within.end}.${within.nth}`;
  const begin = from === undefined ? '' : ` <${from.place} ${from.file}`;
  return `${server} ${file} ${whole}${row}${begin}`;
}

const POSITION =
  /^(\d{1,10}) ([^ ]{1,255}) (\d{1,10})(?: (\d{1,10})\.(\d{1,10}))?(?: <(\d{1,10}) ([^ ]{1,255}))?$/;

/** Reads a position. @throws GatewayError BAD_REQUEST */
export function positionOf(text: string): Position {
  const [, server, file, whole, end, nth, place, begin] = POSITION.exec(text) ?? [];
  if (server === undefined || file === undefined || whole === undefined) {
    throw badRequest('position', 'is none that changes of this kind have');
  }
  return {
    ...{ server, file, whole: Number(whole) },
    ...(end === undefined ? {} : { within: { end: Number(end), nth: Number(nth) } }),
    ...(begin === undefined ? {} : { from: { file: begin, place: Number(place) } }),
  };
}

/** Where the log is to be read from, so that what follows a position is told. */
export function beginOf({ file, whole, from }: Position): LogPlace {
  return from ?? { file, place: whole };
}

/** Whether one row comes after another. */
export function isAfter(one: RowPlace, other: RowPlace): boolean {
  return one.end === other.end ? one.nth > other.nth : one.end > other.end;
}

/** A text that rises with places in the log, from file to file. */
export function markOf({ file, place }: LogPlace): string {
  const number = /\d+$/.exec(file)?.[0] ?? '';
  return `${number.padStart(10, '0')}:${String(place).padStart(10, '0')}`;
}

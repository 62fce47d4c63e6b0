/** Places in a server's log, and positions among the changes read from it. Source: PostgreSQL manual, "pg_lsn Type". */
import { badRequest } from '../../../../proto/errors.ts';

/** A place in the server's log. */
export type Lsn = bigint;

/** Where a reader is. */
export interface Position {
  /** Every transaction that ends up to here was told whole. */
  readonly whole: Lsn;
  /** Of the transaction that commits at `commit`, every change up to `change`; undefined between transactions. */
  readonly within?: TransactionPosition | undefined;
}

/** A place inside of a transaction. */
interface TransactionPosition {
  readonly commit: Lsn;
  readonly change: ChangePlace;
}

/** One change: several may be at one place of the log. */
export interface ChangePlace {
  readonly lsn: Lsn;
  /** From 0, among those at one place. */
  readonly nth: number;
}

/** As the server writes it: `16/B374D848`. */
export function lsnText(lsn: Lsn): string {
  return `${(lsn >> 32n).toString(16)}/${(lsn & 0xffffffffn).toString(16)}`.toUpperCase();
}

/** A text that rises with places. */
export function markOf(lsn: Lsn): string {
  return lsn.toString(16).padStart(16, '0');
}

/** Undefined for what is no place. */
export function lsnOf(text: string): Lsn | undefined {
  const [, high, low] = /^([\dA-F]{1,8})\/([\dA-F]{1,8})$/i.exec(text) ?? [];
  if (high === undefined || low === undefined) return undefined;
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

/** `16/B374D848`, with `.1` and so on for those that follow at the same place. */
export function changeText({ lsn, nth }: ChangePlace): string {
  return nth === 0 ? lsnText(lsn) : `${lsnText(lsn)}.${nth}`;
}

/** Whether one change comes after another of the same transaction. */
export function isAfter(one: ChangePlace, other: ChangePlace): boolean {
  return one.lsn === other.lsn ? one.nth > other.nth : one.lsn > other.lsn;
}

/** The position as text: places joined by spaces. */
export function positionText({ whole, within }: Position): string {
  if (within === undefined) return lsnText(whole);
  return [lsnText(whole), lsnText(within.commit), changeText(within.change)].join(' ');
}

/** Reads a position. @throws GatewayError BAD_REQUEST */
export function positionOf(text: string): Position {
  const [first = '', second, third, ...more] = text.split(' ');
  const whole = lsnOf(first);
  if (whole === undefined || more.length > 0) throw noPosition();
  if (second === undefined) return { whole };
  const commit = lsnOf(second);
  const change = changePlaceOf(third ?? '');
  if (commit === undefined || change === undefined) throw noPosition();
  return { whole, within: { commit, change } };
}

function changePlaceOf(text: string): ChangePlace | undefined {
  const [, place = '', nth = '0'] = /^([^.]+)(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  const lsn = lsnOf(place);
  return lsn === undefined ? undefined : { lsn, nth: Number(nth) };
}

function noPosition(): Error {
  return badRequest('position', 'is none that changes of this kind have');
}

/** Reads requests that are sent to relays: at the edge, or in the process that works on large bodies. */
import { type Kind, kindSpec, type ParsedRequest } from '../../kinds/index.ts';
import type { RequestBase } from '../../kinds/kind.ts';
import { withPassed } from '../../kinds/passed.ts';
import type { Mode } from '../../proto/driver.ts';
import type { Json } from '../../proto/json.ts';
import { bytesInPieces } from '../../proto/json-bytes.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import { parseAsWrittenInPieces } from '../../proto/written-json.ts';

const decoder = new TextDecoder();

/** A body as it is read, and its bytes where those tell more. */
export interface Exact {
  readonly body: Json;
  readonly written?: Uint8Array;
}

/** A large body with what its kind only passes on as it was written. */
export function* exactInPieces(kind: Kind, body: Json, bytes: Uint8Array): Pieces<Exact> {
  if (kindSpec(kind).passes === undefined) return { body };
  const text = decoder.decode(bytes);
  yield;
  const written = yield* parseAsWrittenInPieces(text, body);
  return written === body ? { body } : { body: withPassed(kind, body, written), written: bytes };
}

/** Whether a relay reads a large body by itself, as its client wrote it. */
export function isReadByRelays(kind: Kind): boolean {
  return kindSpec(kind).travelsParsed !== true;
}

/** What a relay gets of a kind whose large bodies it does not read by itself. */
export function textInPieces(parsed: RequestBase | readonly RequestBase[]): Pieces<Uint8Array> {
  return bytesInPieces(parsed as unknown as Json); // Parsed from JSON, it is JSON again.
}

/** All of a request that decides how it is sent. */
export interface Gist {
  readonly request: RequestBase;
  readonly mode: Mode;
  readonly needs?: 'Admin' | undefined;
  /** What makes it write, where neither its type nor its method says. */
  readonly why?: { readonly path: string; readonly message: string } | undefined;
}

/** The gist, with the request whole. */
export function gistOf(kind: Kind, { request, mode }: ParsedRequest): Gist {
  const { needs, whyItWrites } = kindSpec(kind);
  const why = mode === 'write' ? whyItWrites?.(request) : undefined;
  return { request, mode, needs: needs?.(request), why };
}

/** What backends are sent of the operations of a transaction: of large ones it is made in pieces. */
import { type Kind, kindSpec, parseRequest } from '../../../kinds/index.ts';
import type { RequestBase } from '../../../kinds/kind.ts';
import { withPassed } from '../../../kinds/passed.ts';
import type { Mode } from '../../../proto/driver.ts';
import { type Json, type JsonObject, parseJson } from '../../../proto/json.ts';
import { textInPieces } from '../../../proto/json-bytes.ts';
import { parseInPieces } from '../../../proto/json-pieces.ts';
import { orderedText } from '../../../proto/ordered-json.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { isWrittenOtherwise, isWrittenOtherwiseInPieces } from '../../../proto/written-json.ts';

/** A request as a backend is sent it. */
export interface Sent {
  readonly request: RequestBase;
  readonly mode: Mode;
  /** Its text tells more than the request does. */
  readonly isWritten: boolean;
  text(): string;
}

/** What is sent of a body, as its caller wrote it. @throws GatewayError BAD_REQUEST, NOT_SUPPORTED */
export function sentOf(kind: Kind, body: JsonObject): Sent {
  const text = orderedText(body);
  const isOtherwise = isWrittenOtherwise(text);
  return read(kind, body, { text, plain: isOtherwise ? parseJson(text) : body, isOtherwise });
}

/** As `sentOf`, of a large body. */
export function* sentInPieces(kind: Kind, body: JsonObject): Pieces<Sent> {
  const text = yield* textInPieces(body);
  const isOtherwise = yield* isWrittenOtherwiseInPieces(text);
  const plain = isOtherwise ? yield* parseInPieces(text) : body;
  const sent = read(kind, body, { text, plain, isOtherwise });
  if (sent.isWritten) return sent;
  // Parsed from JSON, it is JSON again.
  const parsed = yield* textInPieces(sent.request as unknown as Json);
  return { ...sent, text: () => parsed };
}

/** A body's text, and its value with numbers as doubles: the body itself where nothing is written otherwise. */
interface Texted {
  readonly text: string;
  readonly plain: Json;
  readonly isOtherwise: boolean;
}

function read(kind: Kind, body: JsonObject, { text, plain, isOtherwise }: Texted): Sent {
  const { keepsText, passes, travelsParsed } = kindSpec(kind);
  if (keepsText === true)
    return { ...parseRequest(kind, plain), isWritten: true, text: () => text };
  const parsed = parseRequest(kind, isOtherwise ? withPassed(kind, plain, body) : plain);
  const isWritten = isOtherwise && passes !== undefined && travelsParsed !== true;
  return { ...parsed, isWritten, text: () => (isWritten ? text : JSON.stringify(parsed.request)) };
}

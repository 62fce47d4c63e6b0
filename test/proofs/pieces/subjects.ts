/** What reads and writes JSON of callers in pieces. */
import { parseInPieces as requestInPieces } from '../../../node-relay/requests.ts';
import type { Json, JsonObject } from '../../../proto/json.ts';
import { bytesInPieces, textInPieces } from '../../../proto/json-bytes.ts';
import { faultInPieces } from '../../../proto/json-fault.ts';
import { parseInPieces } from '../../../proto/json-pieces.ts';
import { isHeavierThan } from '../../../proto/json-weight.ts';
import { parseOrderedInPieces } from '../../../proto/parse-ordered.ts';
import { type Pieces, whole } from '../../../proto/work/pieces.ts';
import { parseAsWrittenInPieces, parseDefinitionInPieces } from '../../../proto/written-json.ts';
import { parseBodyAsWrittenInPieces, parseBodyInPieces } from '../../../worker/http/body.ts';
import { asWritten, storedPart } from '../../../worker/workflows/body.ts';
import { storedInPieces } from '../../../worker/workflows/stored.ts';

const encoder = new TextEncoder();

/** Work on a text of JSON: what is not in pieces is done before. */
interface Subject {
  readonly name: string;
  of(text: string): Pieces<unknown>;
}

const reading: readonly Subject[] = [
  { name: 'parseInPieces', of: parseInPieces },
  { name: 'parseOrderedInPieces', of: parseOrderedInPieces },
  { name: 'parseDefinitionInPieces', of: parseDefinitionInPieces },
  {
    name: 'parseAsWrittenInPieces',
    of: (text) => parseAsWrittenInPieces(text, whole(parseInPieces(text))),
  },
  { name: 'faultInPieces', of: faultInPieces },
  { name: 'parseBodyInPieces', of: (text) => parseBodyInPieces(encoder.encode(text)) },
  {
    name: 'parseBodyAsWrittenInPieces',
    of: (text) => parseBodyAsWrittenInPieces(encoder.encode(text)),
  },
  { name: 'isHeavierThan', of: (text) => isHeavierThan(encoder.encode(text), text.length / 2) },
];

/** A value as bodies are read, and as documents and definitions are. */
const asBody = (text: string): Json =>
  whole(parseAsWrittenInPieces(text, whole(parseInPieces(text))));
const asDocument = (text: string): Json => whole(parseOrderedInPieces(text));

const writing: readonly Subject[] = [
  { name: 'textInPieces of a body', of: (text) => textInPieces(asBody(text)) },
  { name: 'bytesInPieces of a body', of: (text) => bytesInPieces(asBody(text)) },
  { name: 'textInPieces of a document', of: (text) => textInPieces(asDocument(text)) },
];

const workflow = (text: string) => `{"name":"a","documentation":{"all":${text}}}`;
const working: readonly Subject[] = [
  {
    name: 'the request of a relay',
    of: (text) =>
      requestInPieces(
        { kind: 'postgres', mode: 'read' } as Parameters<typeof requestInPieces>[0],
        encoder.encode(`{"query":"select $1::json","params":[${text}]}`),
      ),
  },
  {
    name: 'the body of a workflow',
    of: (text) => asWritten({}, encoder.encode(workflow(text))),
  },
  { name: 'a stored workflow', of: (text) => storedInPieces(workflow(text)) },
  {
    name: 'what is stored of a workflow',
    of: (text) => storedPart(whole(storedInPieces(workflow(text))) as JsonObject, []),
  },
];

export const SUBJECTS: readonly Subject[] = [...reading, ...writing, ...working];

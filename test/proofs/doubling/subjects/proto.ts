/** What both programs read. */
import * as z from 'zod';
import { urlOf as connectionUrlOf, partsOf } from '../../../../kinds/connection-options.ts';
import { baseOf, faultOfBase, faultOfPath, urlOf } from '../../../../kinds/http/address.ts';
import { bodyOf } from '../../../../kinds/http/body.ts';
import { faultOfHeader } from '../../../../kinds/http/headers.ts';
import { isMethodOverride, isTargetOverride } from '../../../../kinds/http/overrides.ts';
import { kinds, parseRequest } from '../../../../kinds/index.ts';
import { aclRule } from '../../../../kinds/redis/acl-rule.ts';
import { withoutAddresses } from '../../../../kinds/redis/replies/addresses.ts';
import { splitLine } from '../../../../kinds/redis/split.ts';
import { resolveReferences } from '../../../../kinds/result-references.ts';
import { canonicalHost } from '../../../../proto/addresses.ts';
import { isBase64, isPaddedBase64 } from '../../../../proto/base64.ts';
import { bytesOfBase64, bytesOfHex, hexOf } from '../../../../proto/bytes.ts';
import { compareDecimals, decimalOf, sameDecimal } from '../../../../proto/decimal.ts';
import { exactNumbers } from '../../../../proto/exact-numbers.ts';
import { isJson } from '../../../../proto/is-json.ts';
import { isRawJson, numberText, parseJson } from '../../../../proto/json.ts';
import { depthFaultOf, faultOf } from '../../../../proto/json-fault.ts';
import { parseInPieces } from '../../../../proto/json-pieces.ts';
import { parseAddress } from '../../../../proto/networks.ts';
import { orderedText, unordered } from '../../../../proto/ordered-json.ts';
import { parseOrdered } from '../../../../proto/parse-ordered.ts';
import { faultsOf, IN_OUR_WORDS } from '../../../../proto/schema-faults.ts';
import { whole } from '../../../../proto/work/pieces.ts';
import { isWrittenOtherwise, parseWritten } from '../../../../proto/written-json.ts';
import { elementsInPieces } from '../../../../worker/calls/transactions/elements.ts';
import { type Subject, text, value } from '../subject.ts';

/** Takes nothing from what is made up. */
const Strict = z.strictObject({ query: z.string().optional(), params: z.string().optional() });

/** Header lines and addresses are no longer. */
const HEADER_MAX = 65_536;

export const PROTO: readonly Subject[] = [
  text('parseJson', ['proto/json.ts', 'proto/exact-numbers.ts'], parseJson),
  text('isJson', ['proto/is-json.ts'], isJson),
  text('parseInPieces', ['proto/json-pieces.ts'], (each) => whole(parseInPieces(each))),
  text('elements of results', ['worker/calls/transactions/elements.ts'], (each) =>
    whole(elementsInPieces(each)),
  ),
  text('exactNumbers', ['proto/exact-numbers.ts'], exactNumbers),
  text('faultOf JSON', ['proto/json-fault.ts'], faultOf),
  text('depthFaultOf JSON', ['proto/json-fault.ts', 'proto/json-scan.ts'], (each) =>
    depthFaultOf(each, 1000),
  ),
  text('parseOrdered', ['proto/parse-ordered.ts'], parseOrdered),
  text('numbers written otherwise', ['proto/written-json.ts'], isWrittenOtherwise),
  text('parseWritten', ['proto/written-json.ts'], parseWritten),
  value('members that are not known', ['proto/schema-faults.ts', 'proto/near-name.ts'], (each) => {
    const { error } = Strict.safeParse(each, IN_OUR_WORDS);
    return error && faultsOf(error, 'body');
  }),
  text('isBase64', ['proto/base64.ts'], (each) => [isBase64(each), isPaddedBase64(each)]),
  text('bytes', ['proto/bytes.ts'], (each) => [
    bytesOfBase64(each),
    hexOf(new TextEncoder().encode(each)),
    bytesOfHex(each),
  ]),
  text('canonicalHost', ['proto/addresses.ts', 'proto/networks.ts'], (each) => [
    canonicalHost(each),
    parseAddress(each),
  ]),
  text('a path of an http request', ['kinds/http/address.ts'], (each) =>
    urlOf(baseOf('https://a.example/b/'), each, { a: each }),
  ),
  text('a base of an http endpoint', ['kinds/http/address.ts'], (each) => [
    faultOfBase(`https://a.example/${each}`),
    faultOfPath(each),
    faultOfBase(`https://${each}`),
  ]),
  text('a name of a header', ['kinds/http/overrides.ts'], (each) => [
    isMethodOverride(each),
    isTargetOverride(each),
  ]),
  text('a header of an http request', ['kinds/http/headers.ts'], (each) => [
    faultOfHeader(each, 'a'),
    faultOfHeader('a', each),
  ]),
  value('a body of an http request', ['kinds/http/body.ts'], (body) =>
    bodyOf({ type: 'request', method: 'POST', path: '/', body } as Parameters<typeof bodyOf>[0]),
  ),
  text(
    'a connection URL',
    ['kinds/connection-options.ts'],
    (each) => connectionUrlOf(`postgres://${each}`, new Set(['postgres:']), 'a URL'),
    HEADER_MAX,
  ),
  value('a connection', ['kinds/connection-options.ts'], (each) => partsOf({ url: each })),
  text('a line of Redis', ['kinds/redis/split.ts'], splitLine),
  value('a rule of Redis ACL', ['kinds/redis/acl-rule.ts'], aclRule),
  text('an error of Redis', ['kinds/redis/replies/addresses.ts'], withoutAddresses),
  value('orderedText', ['proto/ordered-json.ts'], (each) => [orderedText(each), unordered(each)]),
  value('decimals', ['proto/decimal.ts'], (each) => {
    const numbers = (Array.isArray(each) ? each : [each]).filter(
      (one) => typeof one === 'number' || isRawJson(one),
    );
    for (const [at, one] of numbers.entries()) {
      const other = numbers[at + 1] ?? 1;
      decimalOf(numberText(one));
      compareDecimals(numberText(one), numberText(other));
      sameDecimal(numberText(one), numberText(other));
    }
  }),
  value('resolveReferences', ['kinds/result-references.ts'], (each) =>
    resolveReferences(each, () => ({ rows: [{ id: 1 }] }), 'unwrapped'),
  ),
  ...Object.keys(kinds).flatMap((kind) => [
    value(`a request of ${kind}`, [`kinds/${kind}`], (each) =>
      parseRequest(kind as keyof typeof kinds, each),
    ),
    value(`a statement's parameters of ${kind}`, [`kinds/${kind}`], (each) =>
      parseRequest(kind as keyof typeof kinds, {
        type: 'query',
        query: 'select 1',
        params: Array.isArray(each) ? each : [each],
      }),
    ),
    value(`arguments of ${kind}`, [`kinds/${kind}`], (each) =>
      parseRequest(kind as keyof typeof kinds, {
        type: kind === 'redis' ? 'set' : 'find',
        args: Array.isArray(each) ? each : [each],
      }),
    ),
  ]),
];

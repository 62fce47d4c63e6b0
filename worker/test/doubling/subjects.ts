/** What the worker reads of a request beside bodies: headers, words, expressions, paths, schemas. */

import { isJsonObject, type Json } from '../../../proto/json.ts';
import { whole } from '../../../proto/work/pieces.ts';
import { type Subject, text, value } from '../../../test/proofs/doubling/subject.ts';
import { bearerOf } from '../../access/authenticate.ts';
import { isCanonical } from '../../access/tokens.ts';
import { credentialsOf, organizationOf } from '../../auth/credentials.ts';
import { inPath, pathOf } from '../../drivers/edge/upstash/binary.ts';
import { repliesIn } from '../../drivers/edge/upstash/replies.ts';
import { splitUrl } from '../../endpoints/connection-url.ts';
import { mergePatch } from '../../endpoints/merge-config.ts';
import { redactUrl } from '../../endpoints/redact.ts';
import { compileExpression, compileFunctions } from '../../expressions/index.ts';
import { compiled as compiledPattern } from '../../expressions/regex/pattern.ts';
import { toLinear } from '../../expressions/regex/translate.ts';
import { checkBodyHeaders, parseBody } from '../../http/body.ts';
import { ifMatchOf, isKnown } from '../../http/conditional.ts';
import { isHost } from '../../http/host.ts';
import { requestIdOf } from '../../http/request-id.ts';
import { isVisible, revealed, visible } from '../../http/visible.ts';
import { flatten } from '../../json/flatten.ts';
import { mapped } from '../../json/map.ts';
import { ObjectWriter } from '../../json/object-writer.ts';
import { parse } from '../../json/parse.ts';
import { reduce } from '../../json/reduce.ts';
import { unflatten } from '../../json/unflatten.ts';
import { parseDotted } from '../../paths/dotted.ts';
import { Path } from '../../paths/path.ts';
import { parsePointer, parseSlash } from '../../paths/pointer.ts';
import { compileSchema } from '../../schemas/compile.ts';
import { schemaOf } from '../../schemas/skeleton.ts';
import { askedOf } from '../../upstash/asked.ts';
import { wordsOfPath, wordsOfQuery } from '../../upstash/words.ts';

/** All headers of a request together are no longer. */
const HEADERS_MAX = 131_072;
const encoder = new TextEncoder();

/** A request with such a header; one that no header can be is none. */
function requestWith(name: string, content: string): Request {
  const safe = content.replace(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '~');
  return new Request('https://gateway.example/', { headers: { [name]: safe } });
}

const HTTP: readonly Subject[] = [
  text('a body', ['worker/http/body.ts', 'proto/json-fault.ts'], (each) =>
    parseBody(encoder.encode(each)),
  ),
  text('a body of broken characters', ['worker/http/body.ts'], (each) =>
    parseBody(Uint8Array.from(each, (unit) => unit.charCodeAt(0) | 0x80)),
  ),
  text(
    'Content-Type',
    ['worker/http/body.ts'],
    (each) => {
      const request = requestWith('Content-Type', `application/json;${each}`);
      checkBodyHeaders(new Request(request, { method: 'POST', body: '1' }), 1e6);
    },
    HEADERS_MAX,
  ),
  text(
    'If-Match',
    ['worker/http/conditional.ts'],
    (each) => [ifMatchOf(requestWith('If-Match', each), { conditional: true })],
    HEADERS_MAX,
  ),
  text(
    'If-None-Match',
    ['worker/http/conditional.ts'],
    (each) => isKnown(requestWith('If-None-Match', each), '"a"'),
    HEADERS_MAX,
  ),
  text('Host', ['worker/http/host.ts'], isHost, HEADERS_MAX),
  text(
    'X-Request-Id',
    ['worker/http/request-id.ts'],
    (each) => requestIdOf(requestWith('X-Request-Id', each).headers),
    HEADERS_MAX,
  ),
  text(
    'Authorization',
    ['worker/auth/credentials.ts'],
    (each) => {
      const { headers } = requestWith('Authorization', `Basic ${each}`);
      return credentialsOf(headers);
    },
    HEADERS_MAX,
  ),
  text(
    'X-Org-Id',
    ['worker/auth/credentials.ts'],
    (each) => organizationOf(requestWith('X-Org-Id', each).headers),
    HEADERS_MAX,
  ),
  text(
    'a bearer token',
    ['worker/access/authenticate.ts', 'worker/access/tokens.ts'],
    (each) => [isCanonical(each), bearerOf(`Bearer ${each}`)],
    HEADERS_MAX,
  ),
  text('a name that is seen', ['worker/http/visible.ts'], (each) => [
    isVisible(each),
    visible(each),
    revealed(each),
  ]),
  text(
    'a connection URL that is shown',
    ['worker/endpoints/connection-url.ts', 'worker/endpoints/redact.ts'],
    (each) => [splitUrl(`redis://${each}`), redactUrl(`redis://${each}`)],
  ),
  text("a path of Upstash's", ['worker/upstash/words.ts', 'worker/upstash/asked.ts'], (each) => [
    wordsOfPath(`/${each}`, 0),
    wordsOfQuery(`?${each}`),
  ]),
  text("a body of Upstash's", ['worker/upstash/asked.ts'], (each) =>
    askedOf(
      new Request('https://gateway.example/upstash/e/set/k', { method: 'POST' }),
      encoder.encode(each),
    ),
  ),
  text('words for Upstash', ['worker/drivers/edge/upstash/binary.ts'], (each) => [
    pathOf([each]),
    inPath(['set'], { type: 'set', args: [each] }),
  ]),
  text('a reply of Upstash', ['worker/drivers/edge/upstash/replies.ts'], repliesIn),
  value('mergePatch', ['worker/endpoints/merge-config.ts'], (each) => mergePatch({ a: 1 }, each)),
];

const SEARCH_DOCUMENT: Json = { a: [1, { b: 2 }], 'a.b': { '': 1 } };

const PATHS: readonly Subject[] = [
  text(
    'a path',
    [
      'worker/paths/path.ts',
      'worker/paths/jsonpath.ts',
      'worker/paths/mend.ts',
      'worker/paths/filter.ts',
      'worker/paths/query.ts',
    ],
    (each) => new Path(each),
    4096,
  ),
  text(
    'a JSONPath',
    ['worker/paths/jsonpath.ts', 'worker/paths/mend.ts'],
    (each) => new Path(`$${each}`),
    4096,
  ),
  text('a filter of JSONPath', ['worker/paths/filter.ts'], (each) => new Path(`$[?${each}]`), 4096),
  text('a dotted path', ['worker/paths/dotted.ts'], parseDotted),
  text('a pointer', ['worker/paths/pointer.ts'], (each) => [
    parsePointer(`/${each}`),
    parseSlash(each),
  ]),
  text('a pattern of JSONPath', ['worker/paths/pattern.ts'], (each) =>
    whole(
      parse(
        {
          json: { p: each, t: each },
          paths: [new Path('$[?match($.t, $.p)]'), new Path('$[?search($.t, $.p)]')],
        },
        () => undefined,
      ),
    ),
  ),
  text(
    'texts that JSONPath compares',
    ['worker/paths/compare.ts', 'worker/paths/budget.ts'],
    (each) =>
      whole(
        parse(
          {
            json: [each, `${each}a`],
            paths: [new Path('$[?@ < $[1]]'), new Path('$[?length(@) > 2]')],
          },
          () => undefined,
        ),
      ),
  ),
  value(
    'a document that JSONPath searches',
    [
      'worker/paths/walk.ts',
      'worker/paths/stage.ts',
      'worker/paths/query.ts',
      'worker/json/parse.ts',
    ],
    (json) => {
      const writer = new ObjectWriter(40e6);
      whole(
        parse(
          {
            json,
            paths: ['$..*', '$[*]', '$..[?@.a == 1]', '..', '$..b[0]'].map(
              (each) => new Path(each),
            ),
          },
          (path, found) => writer.putInPieces(path, found),
        ),
      );
    },
  ),
];

const RESULT_MAX_BYTES = 10 * 2 ** 20;

const JSON_UTILITIES: readonly Subject[] = [
  value(
    'flatten',
    ['worker/json/flatten.ts', 'worker/json/object-writer.ts', 'worker/paths/dotted.ts'],
    (json) => {
      const writer = new ObjectWriter(40e6);
      whole(flatten(json, 'p', (path, leaf) => writer.put(path, leaf)));
      return writer.finish();
    },
  ),
  value(
    'unflatten',
    ['worker/json/unflatten.ts', 'worker/paths/build.ts', 'worker/paths/dotted.ts'],
    (json) => whole(unflatten(isJsonObject(json) ? json : { a: json })),
  ),
  value('reduce', ['worker/json/reduce.ts', 'worker/paths/walk.ts'], (json) =>
    whole(reduce({ json, paths: ['$..a', '$[-1]', '$..[?@ > 1]'].map((each) => new Path(each)) })),
  ),
  value('map', ['worker/json/map.ts', 'worker/json/declares.ts', 'worker/paths/build.ts'], (json) =>
    whole(
      mapped(
        { json, schema: { type: 'object' }, mappings: { '$..a': 'a', '$[*]': 'b', '': 'c' } },
        RESULT_MAX_BYTES,
      ),
    ),
  ),
  value('mappings', ['worker/json/map.ts', 'worker/json/declares.ts'], (json) =>
    whole(
      mapped(
        { json: SEARCH_DOCUMENT, schema: json, mappings: { a: 'a', 'a.b': 'b' } },
        RESULT_MAX_BYTES,
      ),
    ),
  ),
];

const SCHEMAS: readonly Subject[] = [
  value(
    'a schema',
    [
      'worker/schemas/compile.ts',
      'worker/schemas/resource.ts',
      'worker/schemas/build.ts',
      'worker/schemas/depth.ts',
    ],
    (each) => compileSchema(each),
  ),
  value('a schema of properties', ['worker/schemas/build.ts'], (each) =>
    compileSchema({ properties: { a: each }, $defs: { b: each } }),
  ),
  value('values of a schema', ['worker/schemas/values.ts', 'worker/schemas/exact.ts'], (each) =>
    compileSchema({ enum: [each], const: each }),
  ),
  value('a skeleton', ['worker/schemas/skeleton.ts'], (each) => schemaOf(each)),
  text('a pattern of a schema', ['worker/schemas/pattern.ts'], (each) =>
    compileSchema({ pattern: each }),
  ),
  text('a reference of a schema', ['worker/schemas/resource.ts'], (each) =>
    compileSchema({ $ref: `#/${each}`, $defs: {} }),
  ),
  ...Object.entries<Json>({
    uniqueItems: { uniqueItems: true },
    'properties and the rest': {
      properties: { a: true },
      patternProperties: { '^b': { type: 'number' } },
      unevaluatedProperties: false,
    },
    'items and contains': {
      items: { type: ['number', 'array'] },
      contains: { const: 1 },
      unevaluatedItems: false,
    },
    multipleOf: { items: { multipleOf: 0.01 }, multipleOf: 0.01 },
    numbers: { type: 'integer', minimum: 0, items: { type: 'integer', maximum: 1 } },
    pattern: { pattern: '^(a|b)*c$', items: { pattern: '(a|b)*c$' }, maxLength: 5, minLength: 1e9 },
    recursion: {
      $id: 'https://a.example/a',
      type: ['object', 'array'],
      additionalProperties: { $ref: '#' },
      items: { $ref: '#' },
    },
    propertyNames: { propertyNames: { maxLength: 2 } },
  }).map(([name, schema]) =>
    value(
      `a value that is checked: ${name}`,
      [
        'worker/schemas/check.ts',
        'worker/schemas/node.ts',
        'worker/schemas/values.ts',
        'worker/schemas/exact.ts',
        'worker/schemas/members.ts',
      ],
      (each) => compileSchema(schema).validate(each),
    ),
  ),
];

const EXPRESSIONS: readonly Subject[] = [
  text(
    'an expression',
    ['worker/expressions/parse.ts', 'worker/expressions/compile'],
    (each) => compileExpression(each, { names: ['$'], members: '$' }),
    65_536,
  ),
  text(
    'an expression in brackets',
    ['worker/expressions/parse.ts'],
    (each) => compileExpression(`[${each}]`, { names: ['$'], members: '$' }),
    65_536,
  ),
  text(
    'a function',
    ['worker/expressions/functions.ts', 'worker/expressions/compile'],
    (each) => compileFunctions({ f: `(a) => { ${each} }` }),
    65_536,
  ),
  text(
    'functions',
    ['worker/expressions/functions.ts'],
    (each) => compileFunctions({ f: each, g: '() => f()' }),
    65_536,
  ),
  text(
    'a regular expression',
    ['worker/expressions/regex/pattern.ts', 'worker/expressions/regex/translate.ts'],
    (each) => [toLinear(each, { captures: true }), compiledPattern(each, 'g')],
  ),
];

export const WORKER: readonly Subject[] = [
  ...HTTP,
  ...PATHS,
  ...JSON_UTILITIES,
  ...SCHEMAS,
  ...EXPRESSIONS,
];

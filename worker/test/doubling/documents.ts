/** Searches of documents by paths, and the JSON utilities. */
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { whole } from '../../../proto/work/pieces.ts';
import { type Subject, text, value } from '../../../test/proofs/doubling/subject.ts';
import { flatten } from '../../json/flatten.ts';
import { mapped } from '../../json/map.ts';
import { ObjectWriter } from '../../json/object-writer.ts';
import { parsePaths } from '../../json/parse.ts';
import { reduce } from '../../json/reduce.ts';
import { unflatten } from '../../json/unflatten.ts';
import { parseDotted } from '../../language/paths/dotted.ts';
import { Path } from '../../language/paths/path.ts';
import { parsePointer, parseSlash } from '../../language/paths/pointer.ts';

const SEARCH_DOCUMENT: Json = { a: [1, { b: 2 }], 'a.b': { '': 1 } };

/** Of searches by paths. */
export const PATHS: readonly Subject[] = [
  text(
    'a path',
    [
      'worker/language/paths/path.ts',
      'worker/language/paths/jsonpath.ts',
      'worker/language/paths/mend.ts',
      'worker/language/paths/filter.ts',
      'worker/language/paths/query.ts',
    ],
    (each) => new Path(each),
    4096,
  ),
  text(
    'a JSONPath',
    ['worker/language/paths/jsonpath.ts', 'worker/language/paths/mend.ts'],
    (each) => new Path(`$${each}`),
    4096,
  ),
  text(
    'a filter of JSONPath',
    ['worker/language/paths/filter.ts'],
    (each) => new Path(`$[?${each}]`),
    4096,
  ),
  text('a dotted path', ['worker/language/paths/dotted.ts'], parseDotted),
  text('a pointer', ['worker/language/paths/pointer.ts'], (each) => [
    parsePointer(`/${each}`),
    parseSlash(each),
  ]),
  text('a pattern of JSONPath', ['worker/language/paths/pattern.ts'], (each) =>
    whole(
      parsePaths(
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
    ['worker/language/paths/compare.ts', 'worker/language/paths/budget.ts'],
    (each) =>
      whole(
        parsePaths(
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
      'worker/language/paths/walk.ts',
      'worker/language/paths/stage.ts',
      'worker/language/paths/query.ts',
      'worker/json/parse.ts',
    ],
    (json) => {
      const writer = new ObjectWriter(40e6);
      whole(
        parsePaths(
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

const LIMITS = { BODY_MAX_BYTES: 10 * 2 ** 20, RESULT_MAX_BYTES: 10 * 2 ** 20 };

/** Of `/json/…`. */
export const JSON_UTILITIES: readonly Subject[] = [
  value(
    'flatten',
    ['worker/json/flatten.ts', 'worker/json/object-writer.ts', 'worker/language/paths/dotted.ts'],
    (json) => {
      const writer = new ObjectWriter(40e6);
      whole(flatten(json, 'p', (path, leaf) => writer.put(path, leaf)));
      return writer.finish();
    },
  ),
  value(
    'unflatten',
    [
      'worker/json/unflatten.ts',
      'worker/language/paths/build.ts',
      'worker/language/paths/dotted.ts',
    ],
    (json) => whole(unflatten(isJsonObject(json) ? json : { a: json })),
  ),
  value('reduce', ['worker/json/reduce.ts', 'worker/language/paths/walk.ts'], (json) =>
    whole(reduce({ json, paths: ['$..a', '$[-1]', '$..[?@ > 1]'].map((each) => new Path(each)) })),
  ),
  value(
    'map',
    ['worker/json/map.ts', 'worker/json/declares.ts', 'worker/language/paths/build.ts'],
    (json) =>
      whole(
        mapped(
          { json, schema: { type: 'object' }, mappings: { '$..a': 'a', '$[*]': 'b', '': 'c' } },
          LIMITS,
        ),
      ),
  ),
  value('mappings', ['worker/json/map.ts', 'worker/json/declares.ts'], (json) =>
    whole(
      mapped({ json: SEARCH_DOCUMENT, schema: json, mappings: { a: 'a', 'a.b': 'b' } }, LIMITS),
    ),
  ),
];

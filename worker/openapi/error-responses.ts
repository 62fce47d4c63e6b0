/** Responses of errors: operations that answer the same share them. */
import * as z from 'zod';
import type {
  ZodOpenApiMediaTypeObject,
  ZodOpenApiResponseObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { ERROR_MEANINGS } from '../../proto/error-meanings.ts';
import { ERRORS, type ErrorCode, GatewayError } from '../../proto/errors.ts';
import { isJsonObject } from '../../proto/json.ts';
import type { Facade } from '../route.ts';
import { errorExample } from '../shapes/error-examples.ts';
import { ErrorReply } from '../shapes/error-schema.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { headersNamed, ON_ALL, type ReplyHeader } from './headers.ts';

/** What of an operation decides which headers its errors have. */
interface ErrorTraits {
  /** Carries a token, so that the time of authorizing it is told. */
  readonly authorized: boolean;
  /** Honours `Idempotency-Key`. */
  readonly replayed: boolean;
  /** Answers errors in another product's form. */
  readonly facade?: Facade | undefined;
}

/** Never kept for a replay. Contract: "Retries by the client". */
const NOT_KEPT = [401, 403, 415, 422, 429];
/** Refused by the headers alone. */
const BEFORE_AUTHORIZING = [415];
/** What another try may do better at. */
const RETRIED = [409, 429, 502, 503];

type Described = NonNullable<ZodOpenApiMediaTypeObject['schema']>;

/** Collects responses while operations are described. */
export class ErrorResponses {
  /** By name, for the components. */
  readonly made: Record<string, ZodOpenApiResponseObject> = {};
  /** Codes whose examples are in the components: a facade's responses have their own. */
  readonly #shared = new Set<ErrorCode>(['NOT_FOUND', 'METHOD_NOT_ALLOWED']);

  /** One reference for each status that these codes have. */
  of(codes: readonly ErrorCode[], standing: ErrorTraits): ZodOpenApiResponsesObject {
    const byStatus = Map.groupBy(codes, (code) => ERRORS[code].status);
    return Object.fromEntries(
      [...byStatus].map(([status, those]) => [status, this.#refer(status, those, standing)]),
    );
  }

  #refer(status: number, codes: readonly ErrorCode[], standing: ErrorTraits) {
    const headers = headersAt(status, standing);
    const beyond = headers.filter((name) => !ON_ALL.includes(name)).map((name) => `.${name}`);
    const { facade } = standing;
    if (!facade) for (const code of codes) this.#shared.add(code);
    const spoken = facade ? ['facade', ...membersBeside(facade).slice(1)] : [];
    const name = [...codes, ...spoken].join('.') + beyond.join('');
    this.made[name] ??= facade
      ? { ...responseOf(codes, headers, {}), content: contentBeside(codes, facade) }
      : responseOf(codes, headers, errorOf(codes));
    return { $ref: `#/components/responses/${name}` };
  }

  /** An example of each error that these responses share, for the components. */
  get examples() {
    return Object.fromEntries(
      [...this.#shared].map((code) => [
        code,
        { summary: ERROR_MEANINGS[code].means, value: errorExample(code) },
      ]),
    );
  }
}

function headersAt(status: number, { authorized, replayed }: ErrorTraits): readonly ReplyHeader[] {
  return [
    ...ON_ALL,
    ...(authorized && !BEFORE_AUTHORIZING.includes(status) ? (['Server-Timing'] as const) : []),
    ...(status === ERRORS.UNSUPPORTED_MEDIA_TYPE.status ? (['Accept-Encoding'] as const) : []),
    ...(RETRIED.includes(status) ? (['Retry-After'] as const) : []),
    ...(status === ERRORS.RATE_LIMITED.status ? (['RateLimit-Policy'] as const) : []),
    ...(replayed && !NOT_KEPT.includes(status) ? (['Idempotent-Replayed'] as const) : []),
  ];
}

/** Of paths that there are not, and of methods that a path does not have: by name, for the components. */
export const OF_NO_OPERATION = {
  NOT_FOUND: responseOf(['NOT_FOUND'], ON_ALL, ErrorReply),
  METHOD_NOT_ALLOWED: responseOf(['METHOD_NOT_ALLOWED'], [...ON_ALL, 'Allow'], ErrorReply),
};

/** Of a page's question whether it may call, which is no operation either. Contract: "CORS". */
export const PREFLIGHT = {
  description: 'Pages of that origin may call',
  headers: headersNamed([
    ...ON_ALL,
    'Vary',
    'Access-Control-Allow-Origin',
    'Access-Control-Allow-Methods',
    'Access-Control-Allow-Headers',
    'Access-Control-Max-Age',
  ]),
};

/** A response that has one of these codes. */
function responseOf(
  codes: readonly ErrorCode[],
  headers: readonly ReplyHeader[],
  schema: Described,
): ZodOpenApiResponseObject {
  return {
    description: codes.map((code) => `- \`${code}\`: ${ERROR_MEANINGS[code].means}`).join('\n'),
    headers: headersNamed(headers),
    content: {
      'application/json': {
        schema,
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
    },
  };
}

/** Errors of a facade. */
function contentBeside(codes: readonly ErrorCode[], facade: Facade) {
  const examples = codes.map((code) => {
    const { message, details = [] } = errorExample(code);
    return [
      code,
      { value: facade.errorBody(new GatewayError(code, message, { details }), SAMPLE.requestId) },
    ];
  });
  const word = z.string().meta({ description: 'What was wrong, in words' });
  const { details, request_id } = ErrorReply.shape;
  const words = Object.fromEntries(
    membersBeside(facade).map((name) => [name, name === 'request_id' ? request_id : word]),
  );
  const schema = z.object(tellsDetails(facade) ? { ...words, details } : words);
  return { 'application/json': { schema, examples: Object.fromEntries(examples) } };
}

/** Members of a facade's errors; the first is `error`. */
function membersBeside(facade: Facade): string[] {
  return Object.keys(facade.errorBody(new GatewayError('INTERNAL', ''), '') ?? {});
}

/** Whether errors of a facade say what was wrong, where. */
function tellsDetails(facade: Facade): boolean {
  const details = [{ path: 'body', message: '' }];
  const told = facade.errorBody(new GatewayError('BAD_REQUEST', '', { details }), '');
  return isJsonObject(told) && 'details' in told;
}

/** What is said of all errors is in one place: the components. */
function errorOf(codes: readonly ErrorCode[]): Described {
  return {
    allOf: [{ $ref: '#/components/schemas/Error' }],
    properties: { code: { type: 'string', enum: [...codes] } },
  };
}

/** What the JSON worker makes of a body: by the very code that works on smaller ones at the edge, in pieces. */
import {
  type BodyWork,
  ENDED,
  type Job,
  type Refusal,
  type UtilityName,
} from '../../proto/body-work.ts';
import { GatewayError } from '../../proto/errors.ts';
import type { JsonObject } from '../../proto/json.ts';
import { bytesInPieces } from '../../proto/json-bytes.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import { type BodyShape, checkedInPieces } from '../../worker/http/checked-body.ts';
import { utilities } from '../../worker/json/utilities.ts';

/** What came of a body. */
interface JobResult {
  readonly told: JsonObject;
  readonly bytes: Uint8Array;
}

/** How a job ended: the status is one of `ENDED`. */
export interface JobReply extends JobResult {
  readonly status: number;
}

/** One sort of work: the body is checked first, then the rest is done. */
export interface BodyJob {
  readonly body: BodyShape;
  /** What is told of a body whose work fails. */
  readonly toldOfFailure: JsonObject;
  /** @param body checked @throws GatewayError */
  make(body: unknown, bytes: Uint8Array): Pieces<JobResult>;
}

const encoder = new TextEncoder();

/** Does a job. */
export async function answerTo(
  { work, limits }: Job,
  bytes: Uint8Array,
): Promise<Pieces<JobReply>> {
  return answered(await workOf(work, limits), bytes);
}

/** What reads requests is loaded when it is first needed: most of it is about kinds. */
async function workOf(work: BodyWork, limits: Job['limits']): Promise<BodyJob> {
  if (!('kind' in work)) return utilityWork(work.name, limits);
  const { requestWork, transactionWork } = await import('./requests.ts');
  return work.name === 'request' ? requestWork(work.kind) : transactionWork(work.kind);
}

function utilityWork(name: UtilityName, limits: Job['limits']): BodyJob {
  const { body: schema, work } = utilities[name];
  return {
    body: { asWritten: true, body: schema },
    toldOfFailure: {},
    *make(body) {
      const result = yield* work(body, limits);
      const bytes = result instanceof Uint8Array ? result : yield* bytesInPieces(result);
      return { told: {}, bytes };
    },
  };
}

function* answered({ body, toldOfFailure, make }: BodyJob, bytes: Uint8Array): Pieces<JobReply> {
  let stage: Refusal['stage'] = 'body';
  try {
    const checked = yield* checkedInPieces(body, bytes);
    stage = 'work';
    return { status: ENDED.done, ...(yield* make(checked, bytes)) };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    const { code, message, details } = thrown;
    const refusal: Refusal = { stage, code, message, details };
    const written = encoder.encode(JSON.stringify(refusal));
    return { status: ENDED.refused, told: toldOfFailure, bytes: written };
  }
}

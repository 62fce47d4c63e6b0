/** What a server says about itself and its deployment, before the driver goes by it. Source: MongoDB manual, `hello`. */
import { Binary, Long, MongoError, type MongoServerError, ObjectId } from 'mongodb';
import * as z from 'zod';
import { ReplyFault } from './reply-fault.ts';

/** Members that a deployment can have. Source: MongoDB manual, "Replica Set Limits". */
const MEMBERS_MAX = 50;
/** Rounds of a password's hash that a server may ask for: each is work. Spec silent; MongoDB's own are 15,000. */
const ITERATIONS_MAX = 250_000;
const WORD_MAX = 1_024;

const HostName = z
  .string()
  .max(300)
  .regex(/^(?:\[[0-9a-fA-F:.]+\]|[\w.-]+):\d{1,5}$/);
const Hosts = z.array(HostName).max(MEMBERS_MAX).nullish();
const Word = z.string().max(WORD_MAX).nullish();
/** A number, or the driver's object for one. */
const NumberLike = z.unknown().transform(Number);
const Limit = NumberLike.pipe(z.number().min(1)).nullish();
const Count = NumberLike.pipe(z.number()).nullish();

/** The members that the driver reads; the others are dropped. */
const Topology = z
  .looseObject({
    processId: z.instanceof(ObjectId),
    counter: z.union([z.number(), z.bigint(), z.instanceof(Long)]),
  })
  .nullish();
const Hello = z.looseObject({
  hosts: Hosts,
  passives: Hosts,
  arbiters: Hosts,
  me: HostName.nullish(),
  primary: HostName.nullish(),
  setName: Word,
  msg: Word,
  setVersion: Count,
  minWireVersion: Count,
  maxWireVersion: Count,
  logicalSessionTimeoutMinutes: Count,
  maxBsonObjectSize: Limit,
  maxMessageSizeBytes: Limit,
  maxWriteBatchSize: Limit,
  electionId: z.instanceof(ObjectId).nullish(),
  serviceId: z.instanceof(ObjectId).nullish(),
  tags: z.record(z.string(), z.string()).nullish(),
  lastWrite: z.looseObject({ lastWriteDate: z.date() }).nullish(),
  topologyVersion: Topology,
  saslSupportedMechs: z.array(z.string()).nullish(),
});

/** Looks at a reply of the time before a login has ended, and of every look at a member. @throws ReplyFault */
export function checkHello(reply: unknown): void {
  const { data, error } = Hello.safeParse(reply);
  if (error)
    throw new ReplyFault('What the server says of itself cannot be read', { cause: error });
  const members = [data.hosts, data.passives, data.arbiters].map((each) => each?.length ?? 0);
  if (members.reduce((sum, each) => sum + each) > MEMBERS_MAX) {
    throw new ReplyFault('A deployment has at most 50 members');
  }
  checkHash(data);
  checkHash(data.speculativeAuthenticate);
}

/** The server's first message of SCRAM. Source: RFC 5802, section 5.1. */
function checkHash(reply: unknown): void {
  if (typeof reply !== 'object' || reply === null || !('payload' in reply)) return;
  const { payload } = reply;
  if (!(payload instanceof Uint8Array || payload instanceof Binary)) {
    throw new ReplyFault('A message of a login is bytes');
  }
  const bytes = payload instanceof Binary ? payload.value() : payload;
  const [, rounds] = /(?:^|,)i=([^,]*)/.exec(Buffer.from(bytes).toString()) ?? [];
  if (rounds !== undefined && !(Number(rounds) <= ITERATIONS_MAX)) {
    throw new ReplyFault('The server asks for too many rounds of a hash');
  }
}

/** Members of a refusal that would stand in for the driver's own. */
const OWN = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  ...Object.getOwnPropertyNames(MongoError.prototype).filter((name) => name !== 'errmsg'),
  ...['errorLabelSet', 'stack', 'cause', 'connectionGeneration', 'beforeHandshake'],
]);
const Labels = z.array(z.string().max(WORD_MAX)).max(MEMBERS_MAX).nullish();

/** Looks at what a server says about a refusal. @throws ReplyFault */
export function checkRefusal({ errorResponse }: MongoServerError): void {
  const shadow = Object.keys(errorResponse).find((name) => OWN.has(name) && name !== 'errorLabels');
  const isSound =
    shadow === undefined &&
    Labels.safeParse(errorResponse.errorLabels).success &&
    Topology.safeParse(errorResponse.topologyVersion).success;
  if (!isSound) throw new ReplyFault('What the server refuses cannot be read');
}

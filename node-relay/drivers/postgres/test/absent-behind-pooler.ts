/** Which tests of the driver ask for what a pooler in transaction mode cannot do: there they end in 501, and changes in 400. */

const SESSION = 'a session leases one connection, which such a pooler does not lend';
const SHARE = 'a share of a transaction holds one connection, which such a pooler does not lend';
const RESET = 'the statement may leave something in its session, and a reset would meet another';
const OWN_FUNCTION = 'functions of users and of extensions may leave something in their session';
const STREAM =
  'changes stream on a replication connection of their own, which the pooler does not pass on';
const UNPLAIN = 'it is no plain SELECT, INSERT, UPDATE or DELETE';

/** By how a test's full name begins, the reason. */
export const ABSENT_BEHIND_POOLER: Readonly<Record<string, string>> = {
  'the postgres driver > lends one connection of its own and frees it': SESSION,
  'the postgres driver > tells by its mark that a share has committed': SHARE,
  'the postgres driver > keeps a share from committing that was settled before': SHARE,
  'the postgres driver > under strain > shows nobody what another caller set': RESET,
  'the postgres driver > changes > ': STREAM,
  'the attack corpus > has teeth: what it calls would write': OWN_FUNCTION,
  'reads > pass: SELECT * FROM domained': OWN_FUNCTION,
  "reads > pass: SELECT id FROM domained WHERE t = 'x' AND id = 1": OWN_FUNCTION,
  'reads > pass in a session: ': SESSION,
  'allow_functions > true lets a VOLATILE function of that name through: true': OWN_FUNCTION,
  "allow_functions > [ 'lower', 'bite' ] lets a VOLATILE function of that name through: true":
    OWN_FUNCTION,
  "allow_functions > [ 'hidden.lower' ] lets a VOLATILE function of that name through: true":
    OWN_FUNCTION,
  'the next caller does not see > ': RESET,
  "a connection > is used again after: SET work_mem = '64MB'": RESET,
  'a connection > is used again after: SELECT sets()': OWN_FUNCTION,
  'a connection > is ended after: ': RESET,
  'a connection > keeps its settings through a reset': RESET,
  'the seed of random() is not what a call chose > ': RESET,
  'the next caller finds none of > ': RESET,
  'a connection is ended after anything undecided > ': OWN_FUNCTION,
  'a session for reads > is limited, and stays so through a reset': OWN_FUNCTION,
  'a session for reads > of writes is not': UNPLAIN,
  'a write > that cannot be undone says that it was applied': UNPLAIN,
  'a write > may be one that takes no transaction: ': UNPLAIN,
  'a transaction > tells bytes as they are, also escaped by a setting of its own': UNPLAIN,
  'a transaction > is undone where a statement changes the encoding of what comes after it':
    UNPLAIN,
  'the result of a statement that changes the encoding itself > ': RESET,
  'a stream > does not keep what changes the encoding of its texts': RESET,
  'several statements > are kept together': UNPLAIN,
  'several statements > are undone together where one changes the encoding of those behind it':
    UNPLAIN,
  'COPY > takes and gives text': UNPLAIN,
  'COPY > that fails takes nothing, and the connection goes on': UNPLAIN,
  'COPY > into a table that is not there is refused at once': UNPLAIN,
  'a parameter and a result of type > span: [0.5,1.5)': OWN_FUNCTION,
  'a lease > ': SESSION,
  'a PostgreSQL database > names types as results do': OWN_FUNCTION,
};

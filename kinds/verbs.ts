/** Words that statements begin with: a typo in the first one is told as such where statements are looked at before they are sent. */
import { badRequest, type GatewayError } from '../proto/errors.ts';

/** Of every version of a language's servers; one too many only costs a clearer message. */
const VERBS = {
  'MySQL and MariaDB': new Set(
    `ALTER ANALYZE BACKUP BEGIN BINLOG CACHE CALL CASE CHANGE CHECK CHECKSUM CLONE CLOSE COMMIT CREATE DEALLOCATE DECLARE
    DELETE DESC DESCRIBE DO DROP EXECUTE EXPLAIN FETCH FLUSH FOR FORCE GET GRANT HANDLER HELP IF IMPORT INSERT INSTALL ITERATE
    KILL LEAVE LOAD LOCK LOOP OPEN OPTIMIZE PREPARE PURGE RELEASE RENAME REPAIR REPEAT REPLACE RESET RESIGNAL RESTART RETURN
    REVOKE ROLLBACK SAVEPOINT SELECT SET SHOW SHUTDOWN SIGNAL SLAVE START STOP TABLE TRUNCATE UNINSTALL UNLOCK UPDATE USE
    VALUE VALUES WHILE WITH XA`.split(/\s+/),
  ),
  ClickHouse: new Set(
    `ALTER ATTACH BACKUP BEGIN CHECK COMMIT COPY CREATE DELETE DESC DESCRIBE DETACH DROP EXCHANGE EXECUTE EXISTS EXPLAIN FROM
    GRANT INSERT KILL MOVE OPTIMIZE PARALLEL RENAME REPLACE RESTORE REVOKE ROLLBACK SELECT SET SHOW SNAPSHOT SYSTEM TABLE
    TRUNCATE UNDROP UNFREEZE UPDATE USE VALUES WATCH WITH`.split(/\s+/),
  ),
  Cassandra: new Set(
    `ADD ALTER APPLY BEGIN CHECK COMMENT COMMIT COPY CREATE DELETE DESC DESCRIBE DROP GRANT INSERT LET LIST RESTRICT REVOKE
    SECURITY SELECT TRUNCATE UNRESTRICT UPDATE USE VALIDATE`.split(/\s+/),
  ),
} as const;

/**
 * The error for a statement whose first word begins none; undefined where it may.
 * @param first in upper case, empty where the statement begins with no word
 */
export function noVerb(language: keyof typeof VERBS, first: string): GatewayError | undefined {
  if (first === '' || VERBS[language].has(first)) return undefined;
  const message = `${first.slice(0, 64)} begins no statement of ${language}`;
  return badRequest('query', message, message);
}

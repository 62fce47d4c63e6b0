/** Headers by which servers take a request for another than its first line says. Contract §6: `/read` changes nothing. */

/**
 * A header's name as servers compare it at the widest: gateways of programs (CGI, WSGI, Rack, PHP)
 * read every character that is no letter and no digit as `_`, in any letter case, and some frameworks drop it.
 */
export function bareName(name: string): string {
  return name.toUpperCase().replace(/[^A-Z\d]/g, '');
}

/** `X-HTTP-Method-Override`, `X-Method-Override`, `X-Verb-Override`, `X-Override-Method`, … */
const SAYS_OVERRIDE =
  /(?:METHOD|VERB)\w*(?:OVERRID|OVERWRIT|TUNNEL)|(?:OVERRID|OVERWRIT|TUNNEL)\w*(?:METHOD|VERB)/;
/** `X-HTTP-Method`, `X-Method`, `Request-Method`, `X-HTTP-Verb`, …: only the method is named. */
const NAMES_METHOD =
  /^(?:X|HTTP|REST|REAL|TRUE|REQUEST|REQUESTED|ORIGINAL|FORWARDED|INTENDED|ACTUAL|EFFECTIVE|ALLOW|API)*(?:METHOD|VERB)$/;

/** Whether a server may take the method from a header of this name. */
export function isMethodOverride(name: string): boolean {
  const bare = bareName(name);
  return SAYS_OVERRIDE.test(bare) || NAMES_METHOD.test(bare);
}

/** `X-HTTP-Path-Override`, `X-Override-URL`, …: another path than the one that was looked at. */
const PATH_OVERRIDE =
  /(?:PATH|URL|URI|HOST)\w*(?:OVERRID|OVERWRIT)|(?:OVERRID|OVERWRIT)\w*(?:PATH|URL|URI|HOST)/;
/** Variables of CGI, which servers in Python and behind proxies take from headers of their names. */
const OF_CGI = new Set([
  ...['SCRIPTNAME', 'PATHINFO', 'PATHTRANSLATED', 'REQUESTURI', 'REMOTEUSER', 'REMOTEADDR'],
  ...['XREQUESTURI', 'XREQUESTURL', 'XREALURL', 'XSCRIPTNAME'],
]);

/** Whether a server may take the path, the host or the client's identity from a header of this name. */
export function isTargetOverride(name: string): boolean {
  const bare = bareName(name);
  return PATH_OVERRIDE.test(bare) || OF_CGI.has(bare);
}

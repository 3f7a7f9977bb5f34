//! HTTP/1 as bytes: what a peer hides in a reason phrase, a header, a trailer or the extension of a chunk is told to nobody.

use crate::harness::{Env, KEY};
use crate::socket::{Answer, Socket};
use crate::wire::PROJECT;

/// What the peer repeats: the key, and the person that requests carry.
const CANARIES: [&str; 4] = [KEY, "zoe.canary@example.com", "CANARY-7", "Zoecanary"];

/// What a peer may send, with everything that it knows at `@`.
const ODD: [&str; 10] = [
    "HTTP/1.1 500 @\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "HTTP/1.1 200 @\r\nContent-Length: 3\r\nConnection: close\r\n\r\n@!!",
    "HTTP/1.1 401 @\r\nWWW-Authenticate: Basic realm=\"@\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "HTTP/1.1 429 Slow down\r\nRetry-After: @\r\nX-Request-Id: @\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "HTTP/1.1 302 Found\r\nLocation: /@\r\nSet-Cookie: @\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Type: text/@\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n1;@=\"@\"\r\n[\r\n0\r\nX-Trailer: @\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n@\r\n[]\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: @\r\nConnection: close\r\n\r\n[]",
    "HTTP/1.1 @ OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]",
    "@ @\r\n@: @\r\n\r\n",
];

const LINES: [&str; 6] = [
    "projects list",
    "doctor",
    "testtakers enrol --email zoe.canary@example.com --reference-id CANARY-7 --first-name Zoecanary --no-wait",
    "testtakers import people.csv --no-wait --report report.csv",
    "results get CANARY-7",
    "redirect-uris list",
];

#[test]
fn what_a_peer_hides_in_http1_is_told_to_nobody() {
    for odd in ODD {
        let answer = odd.replace('@', &CANARIES.join(" "));
        let socket = Socket::always(Answer::Bytes(answer.into_bytes()));
        let env = Env::at(&socket.url).with("ASSESSCTL_PROJECT", PROJECT);
        for line in LINES {
            env.write("people.csv", "email,referenceId,firstName\nzoe.canary@example.com,CANARY-7,Zoecanary\n");
            let said = env.line(&format!("{line} -v --max-rate 1000 --deadline 2s"));
            assert_ne!(said.code, 0, "{odd}: {line}: {said}");
            for canary in CANARIES {
                assert!(!said.stderr.contains(canary), "{canary} after {odd:?}: {line}: {said}");
            }
            assert!(!said.stdout.contains(KEY), "the key after {odd:?}: {line}: {said}");
        }
        assert!(!socket.requests().is_empty());
    }
}

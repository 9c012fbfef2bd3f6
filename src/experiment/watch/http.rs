//! Minimal HTTP for one page: one request a connection, bounded in size and time, for the host names
//! of this machine.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// Bytes of a request at most; browsers send a few hundred.
const LONGEST_HEAD: usize = 16 << 10;

/// Lines of a request.
const MOST_HEADERS: usize = 64;

/// Timeout of a request.
const REQUEST_TIME: Duration = Duration::from_secs(10);

/// Timeout of an answer.
const ANSWER_TIME: Duration = Duration::from_secs(60);

/// A request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PageRequest {
    /// Path without query.
    pub(crate) path: String,
    /// Whether it asks for the head alone.
    is_head: bool,
}

/// An answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    status: &'static str,
    kind: &'static str,
    text: String,
}

impl Answer {
    pub(crate) fn of(kind: &'static str, text: String) -> Self {
        Self { status: "200 OK", kind, text }
    }

    /// The reason.
    pub(crate) fn error(status: &'static str, reason: impl Into<String>) -> Self {
        Self { status, kind: "text/plain", text: format!("{}\n", reason.into()) }
    }
}

/// Answers the one request of a connection.
///
/// # Errors
/// A closed or slow connection.
pub(crate) fn serve(
    mut stream: TcpStream,
    answer: impl FnOnce(&PageRequest) -> Answer,
) -> io::Result<()> {
    let (answer, is_head) = match request(&mut stream)? {
        Ok(request) => (answer(&request), request.is_head),
        Err(refusal) => (refusal, false),
    };
    write(&mut stream, &answer, is_head)?;
    stream.shutdown(Shutdown::Write)?;
    // Unread bytes would reset the connection before the answer arrives.
    let mut rest = [0; 4096];
    for _ in 0..LONGEST_HEAD / rest.len() {
        if stream.read(&mut rest)? == 0 {
            break;
        }
    }
    Ok(())
}

/// The request, or the refusal.
fn request(stream: &mut impl Timed) -> io::Result<Result<PageRequest, Answer>> {
    let until = Instant::now() + REQUEST_TIME;
    let (mut head, mut part) = (Vec::new(), [0; 2048]);
    loop {
        stream.read_until(until)?;
        let read = stream.read(&mut part)?;
        if read == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        head.extend_from_slice(&part[..read]);
        match parse(&head) {
            Some(request) => return Ok(request),
            None if head.len() > LONGEST_HEAD => return Ok(Err(too_long())),
            None => {}
        }
    }
}

fn too_long() -> Answer {
    Answer::error("431 Request Header Fields Too Large", "the request is too long")
}

/// The request of a head; `None` while the head is incomplete.
fn parse(head: &[u8]) -> Option<Result<PageRequest, Answer>> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(head) {
        Ok(httparse::Status::Partial) => None,
        Ok(httparse::Status::Complete(_)) => Some(check(&request)),
        Err(httparse::Error::TooManyHeaders) => Some(Err(too_long())),
        Err(error) => Some(Err(Answer::error("400 Bad Request", error.to_string()))),
    }
}

fn check(request: &httparse::Request<'_, '_>) -> Result<PageRequest, Answer> {
    let named = |header: &&httparse::Header<'_>| header.name.eq_ignore_ascii_case("host");
    let mut hosts = request.headers.iter().filter(named).map(|header| header.value);
    match (hosts.next(), hosts.next()) {
        (Some(host), None) if is_this_machine(host) => {}
        // A page of another site can make a browser send requests; these always have a host.
        (None, None) if request.version == Some(0) => {}
        (Some(_), None) => {
            let reason = "this server serves localhost and 127.0.0.1 only";
            return Err(Answer::error("421 Misdirected Request", reason));
        }
        _ => return Err(Answer::error("400 Bad Request", "a request has one host")),
    }
    let is_head = match request.method {
        Some("GET") => false,
        Some("HEAD") => true,
        _ => {
            return Err(Answer::error("405 Method Not Allowed", "only GET and HEAD are supported"));
        }
    };
    let path = request.path.unwrap_or_default().split('?').next().unwrap_or_default();
    Ok(PageRequest { path: path.to_owned(), is_head })
}

/// Whether a host, with any port, is this machine. A page of another site can have its
/// own name lead here, but has no power over these.
fn is_this_machine(host: &[u8]) -> bool {
    let Ok(host) = str::from_utf8(host) else { return false };
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let name = match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) && !name.ends_with(':') => name,
        _ => host,
    };
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || address.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

fn write(stream: &mut impl Timed, answer: &Answer, is_head: bool) -> io::Result<()> {
    let Answer { status, kind, text } = answer;
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        text.len()
    );
    let until = Instant::now() + ANSWER_TIME;
    let body = if is_head { "" } else { text };
    for mut bytes in [head.as_bytes(), body.as_bytes()] {
        while !bytes.is_empty() {
            stream.write_until(until)?;
            match stream.write(bytes)? {
                0 => return Err(ErrorKind::WriteZero.into()),
                written => bytes = &bytes[written..],
            }
        }
    }
    Ok(())
}

/// A connection whose reads and writes end.
trait Timed: Read + Write {
    /// The next read ends at a time.
    fn read_until(&mut self, until: Instant) -> io::Result<()>;
    /// The next write ends at a time.
    fn write_until(&mut self, until: Instant) -> io::Result<()>;
}

impl Timed for TcpStream {
    fn read_until(&mut self, until: Instant) -> io::Result<()> {
        self.set_read_timeout(Some(left(until)?))
    }

    fn write_until(&mut self, until: Instant) -> io::Result<()> {
        self.set_write_timeout(Some(left(until)?))
    }
}

fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(head: &str) -> Option<&'static str> {
        parse(head.as_bytes()).map(|request| request.map_or_else(|it| it.status, |_| "200 OK"))
    }

    #[test]
    fn hosts_of_this_machine_are_answered_and_no_others() {
        for host in [
            "localhost",
            "LOCALHOST:6464",
            "127.0.0.1",
            "127.0.0.1:80",
            "127.9.9.9",
            "[::1]:6464",
            "[::1]",
            "localhost:",
        ] {
            let head = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
            assert_eq!(status(&head), Some("200 OK"), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:6464",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.1",
            "",
            "evil.example:localhost",
            "[::2]",
            "127.0.0.1@evil.example",
        ] {
            let head = format!("GET / HTTP/1.1\r\nhost: {host}\r\n\r\n");
            assert_eq!(status(&head), Some("421 Misdirected Request"), "{host}");
        }
    }

    #[test]
    fn requests_are_read_as_they_come() {
        let head = "HEAD /page?at=3 HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n";
        assert!((0..head.len()).all(|end| parse(&head.as_bytes()[..end]).is_none()));
        let request = PageRequest { path: "/page".to_owned(), is_head: true };
        assert_eq!(parse(head.as_bytes()), Some(Ok(request)));
        assert_eq!(status("GET / HTTP/1.0\r\n\r\n"), Some("200 OK"));
    }

    #[test]
    fn what_is_no_request_is_refused() {
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(MOST_HEADERS + 1));
        for (head, expected) in [
            ("GET / HTTP/1.1\r\n\r\n", "400 Bad Request"),
            ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n", "400 Bad Request"),
            ("\u{1}\u{2}\r\n\r\n", "400 Bad Request"),
            ("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", "405 Method Not Allowed"),
            (&many, "431 Request Header Fields Too Large"),
        ] {
            assert_eq!(status(head), Some(expected), "{head:?}");
        }
    }

    /// A client whose every byte comes, and is taken, just in time.
    struct Slow {
        reads: usize,
        writes: usize,
        /// Whether the time is up after a number of either.
        patience: usize,
    }

    impl Read for Slow {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.reads += 1;
            into[0] = b"GET /"[self.reads.min(5) - 1];
            Ok(1)
        }
    }

    impl Write for Slow {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            self.writes += 1;
            Ok(1)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Timed for Slow {
        fn read_until(&mut self, _: Instant) -> io::Result<()> {
            if self.reads < self.patience { Ok(()) } else { left(Instant::now()).map(drop) }
        }

        fn write_until(&mut self, _: Instant) -> io::Result<()> {
            if self.writes < self.patience { Ok(()) } else { left(Instant::now()).map(drop) }
        }
    }

    #[test]
    fn slow_clients_are_given_up() {
        let mut slow = Slow { reads: 0, writes: 0, patience: 100 };
        assert_eq!(request(&mut slow).unwrap_err().kind(), ErrorKind::TimedOut);
        let answer = Answer::of("text/plain", "long ".repeat(1_000));
        assert_eq!(write(&mut slow, &answer, false).unwrap_err().kind(), ErrorKind::TimedOut);
        assert_eq!((slow.reads, slow.writes), (100, 100));
    }

    #[test]
    fn an_endless_head_is_refused_at_its_bound() {
        let mut endless = Slow { reads: 0, writes: 0, patience: usize::MAX };
        assert_eq!(request(&mut endless).unwrap(), Err(too_long()));
        assert_eq!(endless.reads, LONGEST_HEAD + 1);
    }
}

//! Pages for a browser, on the loopback interface alone.

use std::io::{self, Cursor};
use std::net::{Ipv4Addr, SocketAddr};

use serde_json::json;
use tiny_http::{Header, Request, Response};

use crate::{View, WatchError};

type Answer = Response<Cursor<Vec<u8>>>;

/// Hands out what a view sees.
pub struct Server {
    http: tiny_http::Server,
    view: View,
}

impl Server {
    /// Listens on a port of this machine; with 0 on any that is free.
    ///
    /// # Errors
    /// A port that another program has.
    pub fn new(view: View, port: u16) -> Result<Self, WatchError> {
        let taken = |reason: &dyn ToString| WatchError::Port { port, reason: reason.to_string() };
        let http = tiny_http::Server::http((Ipv4Addr::LOCALHOST, port)).map_err(|it| taken(&it))?;
        Ok(Self { http, view })
    }

    /// Where it listens.
    pub fn address(&self) -> Option<SocketAddr> {
        self.http.server_addr().to_ip()
    }

    /// Answers one request after the other, until the process ends.
    pub fn serve(mut self) -> io::Result<()> {
        loop {
            let request = self.http.recv()?;
            // A browser that has gone away is no reason to end.
            let _ = self.answer(request);
        }
    }

    fn answer(&mut self, request: Request) -> io::Result<()> {
        let path = request.url().split('?').next().unwrap_or_default();
        let answer = match path {
            "/" | "/page" => self.view.page().map(|page| of_type("text/html", page)),
            "/now" => self.now().map(|now| of_type("application/json", now)),
            _ => Ok(of_type("text/plain", "there is no such page\n").with_status_code(404)),
        };
        request.respond(answer.unwrap_or_else(|error| {
            // It may be there again in a moment: an experiment that is begun anew, say.
            of_type("text/plain", format!("{error}\n")).with_status_code(503)
        }))
    }

    fn now(&mut self) -> Result<String, WatchError> {
        let (version, now) = (self.view.version(), self.view.now()?);
        Ok(json!({ "version": version, "section": now.section()?, "over": now.is_over() })
            .to_string())
    }
}

/// An answer that no browser keeps.
fn of_type(kind: &str, text: impl Into<String>) -> Answer {
    let headers = [
        ("Content-Type", format!("{kind}; charset=utf-8")),
        ("Cache-Control", "no-store".to_owned()),
    ];
    let headers =
        headers.iter().filter_map(|(name, value)| Header::from_bytes(*name, value.as_bytes()).ok());
    headers.fold(Response::from_string(text), Response::with_header)
}

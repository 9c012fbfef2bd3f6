//! Pages for a browser, on the loopback interface alone.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::watch::http::{self, Answer, PageRequest};
use crate::watch::{WatchError, WatchView};

/// Connections at a time. A browser has a handful.
const MOST_CONNECTIONS: usize = 64;

/// Pause after the system refused a connection.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves a view.
pub struct Server {
    listener: TcpListener,
    view: Arc<Mutex<WatchView>>,
}

impl Server {
    /// Listens on a port of this machine; with 0 on any that is free.
    ///
    /// # Errors
    /// A port in use.
    pub fn new(view: WatchView, port: u16) -> Result<Self, WatchError> {
        let taken = |reason: io::Error| WatchError::Port { port, reason: reason.to_string() };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(taken)?;
        Ok(Self { listener, view: Arc::new(Mutex::new(view)) })
    }

    /// Address of the socket.
    pub fn address(&self) -> Option<SocketAddr> {
        self.listener.local_addr().ok()
    }

    /// Answers every connection on its own thread, so that a slow client delays no other; runs until
    /// the process ends.
    pub fn serve(self) -> io::Result<()> {
        loop {
            match self.listener.accept() {
                // Each connection holds the view.
                Ok((stream, _)) if Arc::strong_count(&self.view) <= MOST_CONNECTIONS => {
                    answer_beside(stream, self.view.clone());
                }
                Ok(_) => {}
                Err(_) => thread::sleep(PAUSE),
            }
        }
    }
}

fn answer_beside(stream: TcpStream, view: Arc<Mutex<WatchView>>) {
    let serve = move || {
        // A closed connection is no error.
        let _ = http::serve(stream, |request| answer(request, &view));
    };
    // Without threads the connection ends, and the browser retries.
    let _ = thread::Builder::new().name("watch".to_owned()).spawn(serve);
}

fn answer(request: &PageRequest, view: &Mutex<WatchView>) -> Answer {
    // A panic leaves the view valid.
    let mut view = view.lock().unwrap_or_else(PoisonError::into_inner);
    let answer = match request.path.as_str() {
        "/" | "/page" => view.page().map(|page| Answer::of("text/html", page)),
        "/now" => now(&mut view).map(|now| Answer::of("application/json", now)),
        _ => Ok(Answer::error("404 Not Found", "no such page")),
    };
    // The error may be temporary, such as a run that is starting.
    answer.unwrap_or_else(|error| Answer::error("503 Service Unavailable", error.to_string()))
}

fn now(view: &mut WatchView) -> Result<String, WatchError> {
    let (version, now) = (view.version(), view.now()?);
    Ok(json!({ "version": version, "section": now.section()?, "over": now.is_over() }).to_string())
}

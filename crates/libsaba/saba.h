/* The client library of Saba's controller: saba(3). Generated from src/ffi.rs by cbindgen. */

#ifndef SABA_H
#define SABA_H

#include <stddef.h>
#include <stdint.h>

/*
 The call has succeeded, with or without a controller.
 */
#define SABA_OK 0

/*
 The controller has refused the request; saba_error returns the reason.
 */
#define SABA_REFUSED -1

/*
 An argument is invalid; saba_error returns the reason.
 */
#define SABA_ARGUMENT -2

/*
 The socket can't be marked.
 */
#define SABA_SOCKET -3

/*
 The library can't carry out the call, because of the system or of a fault of its own; saba_error returns the reason.
 */
#define SABA_FAULT -4

/*
 A registered application. Several threads may use it at once.
 */
struct saba_app;

/*
 A connection of an application.
 */
struct saba_conn;

/*
 Options of a registration. All zero means the defaults.
 */
struct saba_options {
  /*
   The controller's endpoints: "unix:PATH", "http://HOST:PORT" or "https://HOST:PORT", separated by commas and
   tried in turn. For https, SABA_CA_FILE names the authority. NULL: the value of SABA_CONTROLLER, or
   unix:/run/bandwise/controller.sock.
   */
  const char *controller;
  /*
   The controller's name for this host. NULL: the value of SABA_HOST, or the host's own name.
   */
  const char *host;
  /*
   The amount of data that the application works on, such as "10000 samples". NULL: the value of SABA_DATASET, if
   it is set.
   */
  const char *dataset;
  /*
   The job, in up to 256 bytes. Processes on any host that register the same name and job are one application.
   NULL: the value of SABA_JOB, or no job.
   */
  const char *job;
  /*
   The number of hosts that the application runs on. 0: the value of SABA_NODES, if it is set.
   */
  uint32_t nodes;
};

/*
 The mark for packets of a connection. A field is -1 if it does not apply; without a controller all are.
 */
struct saba_mark {
  /*
   Saba's priority level.
   */
  int32_t level;
  /*
   The differentiated services code point, 1 to 63.
   */
  int32_t dscp;
  /*
   The byte of the IP header with the code point: IP_TOS, IPV6_TCLASS, or the traffic class of ibv_global_route.
   */
  int32_t traffic_class;
  /*
   The service level of ibv_ah_attr on InfiniBand, 0 to 15.
   */
  int32_t service_level;
};

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Returns the error of this thread's last call of saba_app_register or saba_conn_create, or the reason why no
 controller has answered it. Otherwise the text is empty. It is valid until the thread's next such call.
 */
const char *saba_error(void);

/*
 Registers an application and stores it in *app. `options` may be NULL. Without a controller the call succeeds, and
 the application is registered when one becomes reachable. saba_error then returns the reason why no controller
 answers, and otherwise an empty text.

 # Safety

 `name` is a string, `options` is NULL or points to options, and `app` points to a pointer.
 */
int saba_app_register(const char *name,
                      const struct saba_options *options,
                      struct saba_app **app);

/*
 Writes the controller's doubts about the application's model for this run to `text`, one a line, and a zero. Doubts
 that do not fit in `size` bytes are cut. Returns the length of the whole text without the zero: 0 without doubts, and
 until a controller has registered the application.

 # Safety

 `app` comes from saba_app_register, or is NULL, which has no doubts. `text` has room for `size` bytes, or is NULL.
 */
size_t saba_app_doubts(const struct saba_app *app,
                       char *text,
                       size_t size);

/*
 Registers a connection and stores it in *conn. Data go from host `from`, or from this host if that is NULL, to host
 `to`, by the controller's names. `fd` is the socket to mark, or -1; then the caller applies the result of
 saba_conn_mark to the queue pair. Without a controller the call succeeds, and the socket stays unmarked.

 # Safety

 `app` comes from saba_app_register, `from` is NULL or a string, `to` is a string, `fd` is -1 or open, and `conn`
 points to a pointer.
 */
int saba_conn_create(const struct saba_app *app,
                     const char *from,
                     const char *to,
                     int fd,
                     struct saba_conn **conn);

/*
 Returns the mark for packets of a connection.

 # Safety

 `conn` comes from saba_conn_create, or is NULL, which has no mark.
 */
struct saba_mark saba_conn_mark(const struct saba_conn *conn);

/*
 Closes a connection. NULL is ignored.

 # Safety

 `conn` comes from saba_conn_create, and is not used again.
 */
void saba_conn_destroy(struct saba_conn *conn);

/*
 Deregisters an application and closes its connections. Each connection still has to be destroyed, which frees its
 memory. NULL is ignored.

 # Safety

 `app` comes from saba_app_register, and is not used again.
 */
void saba_app_deregister(struct saba_app *app);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SABA_H */

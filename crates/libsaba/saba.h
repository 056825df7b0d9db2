/* What a program tells Saba's controller: saba(3). Made of src/ffi.rs by cbindgen; not edited by hand. */

#ifndef SABA_H
#define SABA_H

#include <stdint.h>

/*
 It was done, or there is no controller to do it with.
 */
#define SABA_OK 0

/*
 The controller refused; saba_error says why.
 */
#define SABA_REFUSED -1

/*
 An argument can't be used; saba_error says which.
 */
#define SABA_ARGUMENT -2

/*
 The socket can't be marked.
 */
#define SABA_SOCKET -3

/*
 An application that runs. May be used by several threads at once.
 */
struct saba_app;

/*
 A connection of an application.
 */
struct saba_conn;

/*
 How an application is registered. All zero is what a program without wishes has.
 */
struct saba_options {
  /*
   Where the controller is: "unix:PATH", "http://HOST:PORT" or "https://HOST:PORT", where SABA_CA_FILE says by what
   it is known; several places, separated by commas, are tried in turn. NULL: what SABA_CONTROLLER says in the
   environment, or unix:/run/bandwise/controller.sock.
   */
  const char *controller;
  /*
   What the controller calls this host. NULL: what SABA_HOST says, or the name that it has.
   */
  const char *host;
  /*
   On how much data the application works, such as "10000 samples". NULL: what SABA_DATASET
   says, if anything.
   */
  const char *dataset;
  /*
   The job that it is part of, in up to 256 bytes: processes that register with one name and one job, on
   whatever hosts, are one application. NULL: what SABA_JOB says, or none.
   */
  const char *job;
  /*
   On how many hosts it runs. 0: what SABA_NODES says, if anything.
   */
  uint32_t nodes;
};

/*
 What packets of a connection are to carry. Each is -1 where there is none: without a controller all are.
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
   The byte of a header of IP that has it: IP_TOS, IPV6_TCLASS, or the traffic class of ibv_global_route.
   */
  int32_t traffic_class;
  /*
   At ports of InfiniBand the service level of ibv_ah_attr, 0 to 15.
   */
  int32_t service_level;
};

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Why the last call of this thread failed, or no controller answered it, in words. Valid until the next call of this
 thread.
 */
const char *saba_error(void);

/*
 An application runs: *app is what connections are made with. `options` may be NULL. Without a controller it is done
 all the same, and a controller that comes later hears of it; saba_error says why none answers, and nothing if one does.

 # Safety

 `name` is a string, `options` NULL or options, `app` a place for a pointer.
 */
int saba_app_register(const char *name,
                      const struct saba_options *options,
                      struct saba_app **app);

/*
 An application has made a connection: *conn is what ends it. Data go from host `from`, or from this one where that is
 NULL, to host `to`, as the controller calls them. `fd` is the socket, which is marked, or -1: then what saba_conn_mark
 says is to be set on the queue pair. Without a controller it is done all the same, and the socket stays as it is.

 # Safety

 `app` is of saba_app_register, `from` NULL or a string, `to` a string, `fd` -1 or open, `conn` a place for a pointer.
 */
int saba_conn_create(const struct saba_app *app,
                     const char *from,
                     const char *to,
                     int fd,
                     struct saba_conn **conn);

/*
 What packets of a connection are to carry.

 # Safety

 `conn` is of saba_conn_create, or NULL, which has no mark.
 */
struct saba_mark saba_conn_mark(const struct saba_conn *conn);

/*
 A connection was closed. NULL is none.

 # Safety

 `conn` is of saba_conn_create, and not used again.
 */
void saba_conn_destroy(struct saba_conn *conn);

/*
 An application has ended, with its connections; those that were not destroyed still have to be, to free them. NULL is
 none.

 # Safety

 `app` is of saba_app_register, and not used again.
 */
void saba_app_deregister(struct saba_app *app);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SABA_H */

/* The functions that give an error code: MASLIN_MPI_FUNCTION(name, parameters). No include guard: mpi.h declares both
   names of each with it. */

/* The environment. */
MASLIN_MPI_FUNCTION(Init, (int* argc, char*** argv))
MASLIN_MPI_FUNCTION(Init_thread, (int* argc, char*** argv, int required, int* provided))
MASLIN_MPI_FUNCTION(Query_thread, (int* provided))
MASLIN_MPI_FUNCTION(Is_thread_main, (int* flag))
MASLIN_MPI_FUNCTION(Initialized, (int* flag))
MASLIN_MPI_FUNCTION(Finalize, (void))
MASLIN_MPI_FUNCTION(Finalized, (int* flag))
MASLIN_MPI_FUNCTION(Abort, (MPI_Comm comm, int code))
MASLIN_MPI_FUNCTION(Get_processor_name, (char* name, int* length))
MASLIN_MPI_FUNCTION(Get_version, (int* version, int* subversion))
MASLIN_MPI_FUNCTION(Get_library_version, (char* version, int* length))
MASLIN_MPI_FUNCTION(Pcontrol, (const int level, ...))
MASLIN_MPI_FUNCTION(Alloc_mem, (MPI_Aint size, MPI_Info info, void* base))
MASLIN_MPI_FUNCTION(Free_mem, (void* base))
MASLIN_MPI_FUNCTION(Get_address, (const void* location, MPI_Aint* address))
MASLIN_MPI_FUNCTION(Address, (void* location, MPI_Aint* address))

/* Messages. */
MASLIN_MPI_FUNCTION(Send, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Ssend, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Rsend, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Bsend, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Recv,
                    (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status))
MASLIN_MPI_FUNCTION(Isend, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                            MPI_Request* request))
MASLIN_MPI_FUNCTION(Issend, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                             MPI_Request* request))
MASLIN_MPI_FUNCTION(Irsend, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                             MPI_Request* request))
MASLIN_MPI_FUNCTION(Ibsend, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                             MPI_Request* request))
MASLIN_MPI_FUNCTION(Irecv,
                    (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Sendrecv, (const void* data, int count, MPI_Datatype type, int to, int tag, void* into, int room,
                               MPI_Datatype into_type, int from, int from_tag, MPI_Comm comm, MPI_Status* status))
MASLIN_MPI_FUNCTION(Sendrecv_replace, (void* data, int count, MPI_Datatype type, int to, int tag, int from,
                                       int from_tag, MPI_Comm comm, MPI_Status* status))
MASLIN_MPI_FUNCTION(Isendrecv, (const void* data, int count, MPI_Datatype type, int to, int tag, void* into, int room,
                                MPI_Datatype into_type, int from, int from_tag, MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Isendrecv_replace, (void* data, int count, MPI_Datatype type, int to, int tag, int from,
                                        int from_tag, MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Probe, (int from, int tag, MPI_Comm comm, MPI_Status* status))
MASLIN_MPI_FUNCTION(Iprobe, (int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status))
MASLIN_MPI_FUNCTION(Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status))
MASLIN_MPI_FUNCTION(Improbe, (int from, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status))
MASLIN_MPI_FUNCTION(Mrecv, (void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status))
MASLIN_MPI_FUNCTION(Imrecv, (void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request))
MASLIN_MPI_FUNCTION(Send_init, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                                MPI_Request* request))
MASLIN_MPI_FUNCTION(Ssend_init, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                                 MPI_Request* request))
MASLIN_MPI_FUNCTION(Rsend_init, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                                 MPI_Request* request))
MASLIN_MPI_FUNCTION(Bsend_init, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                                 MPI_Request* request))
MASLIN_MPI_FUNCTION(Recv_init,
                    (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Start, (MPI_Request * request))
MASLIN_MPI_FUNCTION(Startall, (int count, MPI_Request* requests))
MASLIN_MPI_FUNCTION(Wait, (MPI_Request * request, MPI_Status* status))
MASLIN_MPI_FUNCTION(Waitall, (int count, MPI_Request* requests, MPI_Status* statuses))
MASLIN_MPI_FUNCTION(Waitany, (int count, MPI_Request* requests, int* index, MPI_Status* status))
MASLIN_MPI_FUNCTION(Waitsome, (int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses))
MASLIN_MPI_FUNCTION(Test, (MPI_Request * request, int* flag, MPI_Status* status))
MASLIN_MPI_FUNCTION(Testall, (int count, MPI_Request* requests, int* flag, MPI_Status* statuses))
MASLIN_MPI_FUNCTION(Testany, (int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status))
MASLIN_MPI_FUNCTION(Testsome, (int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses))
MASLIN_MPI_FUNCTION(Request_get_status, (MPI_Request request, int* flag, MPI_Status* status))
MASLIN_MPI_FUNCTION(Request_free, (MPI_Request * request))
MASLIN_MPI_FUNCTION(Cancel, (MPI_Request * request))
MASLIN_MPI_FUNCTION(Test_cancelled, (const MPI_Status* status, int* flag))
MASLIN_MPI_FUNCTION(Get_count, (const MPI_Status* status, MPI_Datatype type, int* count))
MASLIN_MPI_FUNCTION(Get_elements, (const MPI_Status* status, MPI_Datatype type, int* count))
MASLIN_MPI_FUNCTION(Get_elements_x, (const MPI_Status* status, MPI_Datatype type, MPI_Count* count))
MASLIN_MPI_FUNCTION(Status_set_elements_x, (MPI_Status * status, MPI_Datatype type, MPI_Count count))
MASLIN_MPI_FUNCTION(Status_set_elements, (MPI_Status * status, MPI_Datatype type, int count))
MASLIN_MPI_FUNCTION(Status_set_cancelled, (MPI_Status * status, int flag))
MASLIN_MPI_FUNCTION(Buffer_attach, (void* buffer, int size))
MASLIN_MPI_FUNCTION(Buffer_detach, (void* buffer, int* size))

/* Calls of all ranks. */
MASLIN_MPI_FUNCTION(Barrier, (MPI_Comm comm))
MASLIN_MPI_FUNCTION(Bcast, (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Gather, (const void* data, int count, MPI_Datatype type, void* into, int room,
                             MPI_Datatype into_type, int root, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Gatherv, (const void* data, int count, MPI_Datatype type, void* into, const int* rooms,
                              const int* displacements, MPI_Datatype into_type, int root, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Scatter, (const void* data, int count, MPI_Datatype type, void* into, int room,
                              MPI_Datatype into_type, int root, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Scatterv, (const void* data, const int* counts, const int* displacements, MPI_Datatype type,
                               void* into, int room, MPI_Datatype into_type, int root, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Allgather, (const void* data, int count, MPI_Datatype type, void* into, int room,
                                MPI_Datatype into_type, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Allgatherv, (const void* data, int count, MPI_Datatype type, void* into, const int* rooms,
                                 const int* displacements, MPI_Datatype into_type, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Alltoall, (const void* data, int count, MPI_Datatype type, void* into, int room,
                               MPI_Datatype into_type, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Alltoallv,
                    (const void* data, const int* counts, const int* displacements, MPI_Datatype type, void* into,
                     const int* rooms, const int* into_displacements, MPI_Datatype into_type, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Alltoallw, (const void* data, const int* counts, const int* displacements,
                                const MPI_Datatype* types, void* into, const int* rooms, const int* into_displacements,
                                const MPI_Datatype* into_types, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Reduce,
                    (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Allreduce, (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Reduce_scatter,
                    (const void* data, void* result, const int* counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Reduce_scatter_block,
                    (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Scan, (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Exscan, (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Reduce_local, (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op))
MASLIN_MPI_FUNCTION(Op_create, (MPI_User_function * function, int commutes, MPI_Op* op))
MASLIN_MPI_FUNCTION(Op_free, (MPI_Op * op))
MASLIN_MPI_FUNCTION(Op_commutative, (MPI_Op op, int* commutes))

/* The same, started: a request stands for the call. */
MASLIN_MPI_FUNCTION(Ibarrier, (MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Ibcast, (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Igather, (const void* data, int count, MPI_Datatype type, void* into, int room,
                              MPI_Datatype into_type, int root, MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Igatherv,
                    (const void* data, int count, MPI_Datatype type, void* into, const int* rooms,
                     const int* displacements, MPI_Datatype into_type, int root, MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Iscatter, (const void* data, int count, MPI_Datatype type, void* into, int room,
                               MPI_Datatype into_type, int root, MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Iscatterv,
                    (const void* data, const int* counts, const int* displacements, MPI_Datatype type, void* into,
                     int room, MPI_Datatype into_type, int root, MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Iallgather, (const void* data, int count, MPI_Datatype type, void* into, int room,
                                 MPI_Datatype into_type, MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Iallgatherv,
                    (const void* data, int count, MPI_Datatype type, void* into, const int* rooms,
                     const int* displacements, MPI_Datatype into_type, MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Ialltoall, (const void* data, int count, MPI_Datatype type, void* into, int room,
                                MPI_Datatype into_type, MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Ialltoallv, (const void* data, const int* counts, const int* displacements, MPI_Datatype type,
                                 void* into, const int* rooms, const int* into_displacements, MPI_Datatype into_type,
                                 MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Ialltoallw, (const void* data, const int* counts, const int* displacements,
                                 const MPI_Datatype* types, void* into, const int* rooms, const int* into_displacements,
                                 const MPI_Datatype* into_types, MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Ireduce, (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, int root,
                              MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Iallreduce, (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                 MPI_Request* request))
MASLIN_MPI_FUNCTION(Ireduce_scatter, (const void* data, void* result, const int* counts, MPI_Datatype type, MPI_Op op,
                                      MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Ireduce_scatter_block, (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op,
                                            MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Iscan, (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                            MPI_Request* request))
MASLIN_MPI_FUNCTION(Iexscan, (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                              MPI_Request* request))

/* Types. */
MASLIN_MPI_FUNCTION(Type_contiguous, (int count, MPI_Datatype of, MPI_Datatype* made))
MASLIN_MPI_FUNCTION(Type_vector, (int count, int length, int stride, MPI_Datatype of, MPI_Datatype* made))
MASLIN_MPI_FUNCTION(Type_create_hvector, (int count, int length, MPI_Aint stride, MPI_Datatype of, MPI_Datatype* made))
MASLIN_MPI_FUNCTION(Type_hvector, (int count, int length, MPI_Aint stride, MPI_Datatype of, MPI_Datatype* made))
MASLIN_MPI_FUNCTION(Type_indexed,
                    (int count, const int* lengths, const int* displacements, MPI_Datatype of, MPI_Datatype* made))
MASLIN_MPI_FUNCTION(Type_create_hindexed,
                    (int count, const int* lengths, const MPI_Aint* displacements, MPI_Datatype of, MPI_Datatype* made))
MASLIN_MPI_FUNCTION(Type_hindexed,
                    (int count, int* lengths, MPI_Aint* displacements, MPI_Datatype of, MPI_Datatype* made))
MASLIN_MPI_FUNCTION(Type_create_indexed_block,
                    (int count, int length, const int* displacements, MPI_Datatype of, MPI_Datatype* made))
MASLIN_MPI_FUNCTION(Type_create_hindexed_block,
                    (int count, int length, const MPI_Aint* displacements, MPI_Datatype of, MPI_Datatype* made))
MASLIN_MPI_FUNCTION(Type_create_struct, (int count, const int* lengths, const MPI_Aint* displacements,
                                         const MPI_Datatype* of, MPI_Datatype* made))
MASLIN_MPI_FUNCTION(Type_struct,
                    (int count, int* lengths, MPI_Aint* displacements, MPI_Datatype* of, MPI_Datatype* made))
MASLIN_MPI_FUNCTION(Type_create_subarray, (int dimensions, const int* sizes, const int* parts, const int* starts,
                                           int order, MPI_Datatype of, MPI_Datatype* made))
MASLIN_MPI_FUNCTION(Type_create_darray,
                    (int processes, int rank, int dimensions, const int* sizes, const int* ways, const int* arguments,
                     const int* sides, int order, MPI_Datatype of, MPI_Datatype* made))
MASLIN_MPI_FUNCTION(Type_create_resized, (MPI_Datatype of, MPI_Aint lower, MPI_Aint extent, MPI_Datatype* made))
MASLIN_MPI_FUNCTION(Type_create_f90_real, (int digits, int range, MPI_Datatype* made))
MASLIN_MPI_FUNCTION(Type_create_f90_complex, (int digits, int range, MPI_Datatype* made))
MASLIN_MPI_FUNCTION(Type_create_f90_integer, (int range, MPI_Datatype* made))
MASLIN_MPI_FUNCTION(Type_match_size, (int type_class, int size, MPI_Datatype* type))
MASLIN_MPI_FUNCTION(Type_dup, (MPI_Datatype of, MPI_Datatype* made))
MASLIN_MPI_FUNCTION(Type_get_envelope, (MPI_Datatype type, int* integers, int* addresses, int* types, int* combiner))
MASLIN_MPI_FUNCTION(Type_get_contents, (MPI_Datatype type, int most_integers, int most_addresses, int most_types,
                                        int* integers, MPI_Aint* addresses, MPI_Datatype* types))
MASLIN_MPI_FUNCTION(Type_commit, (MPI_Datatype * type))
MASLIN_MPI_FUNCTION(Type_free, (MPI_Datatype * type))
MASLIN_MPI_FUNCTION(Type_size, (MPI_Datatype type, int* size))
MASLIN_MPI_FUNCTION(Type_size_x, (MPI_Datatype type, MPI_Count* size))
MASLIN_MPI_FUNCTION(Type_get_extent_x, (MPI_Datatype type, MPI_Count* lower, MPI_Count* extent))
MASLIN_MPI_FUNCTION(Type_get_true_extent_x, (MPI_Datatype type, MPI_Count* lower, MPI_Count* extent))
MASLIN_MPI_FUNCTION(Type_extent, (MPI_Datatype type, MPI_Aint* extent))
MASLIN_MPI_FUNCTION(Type_lb, (MPI_Datatype type, MPI_Aint* lower))
MASLIN_MPI_FUNCTION(Type_ub, (MPI_Datatype type, MPI_Aint* upper))
MASLIN_MPI_FUNCTION(Type_get_extent, (MPI_Datatype type, MPI_Aint* lower, MPI_Aint* extent))
MASLIN_MPI_FUNCTION(Type_get_true_extent, (MPI_Datatype type, MPI_Aint* lower, MPI_Aint* extent))
MASLIN_MPI_FUNCTION(Type_set_name, (MPI_Datatype type, const char* name))
MASLIN_MPI_FUNCTION(Type_get_name, (MPI_Datatype type, char* name, int* length))
MASLIN_MPI_FUNCTION(Type_create_keyval,
                    (MPI_Type_copy_attr_function * copy, MPI_Type_delete_attr_function* remove, int* key, void* extra))
MASLIN_MPI_FUNCTION(Type_free_keyval, (int* key))
MASLIN_MPI_FUNCTION(Type_set_attr, (MPI_Datatype type, int key, void* value))
MASLIN_MPI_FUNCTION(Type_get_attr, (MPI_Datatype type, int key, void* value, int* flag))
MASLIN_MPI_FUNCTION(Type_delete_attr, (MPI_Datatype type, int key))
MASLIN_MPI_FUNCTION(Pack,
                    (const void* data, int count, MPI_Datatype type, void* into, int room, int* at, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Unpack,
                    (const void* from, int size, int* at, void* data, int count, MPI_Datatype type, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Pack_size, (int count, MPI_Datatype type, MPI_Comm comm, int* size))
MASLIN_MPI_FUNCTION(Pack_external, (const char* representation, const void* data, int count, MPI_Datatype type,
                                    void* into, MPI_Aint room, MPI_Aint* at))
MASLIN_MPI_FUNCTION(Unpack_external, (const char* representation, const void* from, MPI_Aint size, MPI_Aint* at,
                                      void* data, int count, MPI_Datatype type))
MASLIN_MPI_FUNCTION(Pack_external_size, (const char* representation, int count, MPI_Datatype type, MPI_Aint* size))

/* Groups and communicators. */
MASLIN_MPI_FUNCTION(Group_size, (MPI_Group group, int* size))
MASLIN_MPI_FUNCTION(Group_rank, (MPI_Group group, int* rank))
MASLIN_MPI_FUNCTION(Group_translate_ranks, (MPI_Group group, int count, const int* ranks, MPI_Group other, int* others))
MASLIN_MPI_FUNCTION(Group_compare, (MPI_Group one, MPI_Group other, int* result))
MASLIN_MPI_FUNCTION(Group_union, (MPI_Group one, MPI_Group other, MPI_Group* made))
MASLIN_MPI_FUNCTION(Group_intersection, (MPI_Group one, MPI_Group other, MPI_Group* made))
MASLIN_MPI_FUNCTION(Group_difference, (MPI_Group one, MPI_Group other, MPI_Group* made))
MASLIN_MPI_FUNCTION(Group_incl, (MPI_Group group, int count, const int* ranks, MPI_Group* made))
MASLIN_MPI_FUNCTION(Group_excl, (MPI_Group group, int count, const int* ranks, MPI_Group* made))
MASLIN_MPI_FUNCTION(Group_range_incl, (MPI_Group group, int count, int ranges[][3], MPI_Group* made))
MASLIN_MPI_FUNCTION(Group_range_excl, (MPI_Group group, int count, int ranges[][3], MPI_Group* made))
MASLIN_MPI_FUNCTION(Group_free, (MPI_Group * group))
MASLIN_MPI_FUNCTION(Comm_group, (MPI_Comm comm, MPI_Group* group))
MASLIN_MPI_FUNCTION(Comm_size, (MPI_Comm comm, int* size))
MASLIN_MPI_FUNCTION(Comm_rank, (MPI_Comm comm, int* rank))
MASLIN_MPI_FUNCTION(Comm_compare, (MPI_Comm one, MPI_Comm other, int* result))
MASLIN_MPI_FUNCTION(Comm_dup, (MPI_Comm comm, MPI_Comm* made))
MASLIN_MPI_FUNCTION(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* made))
MASLIN_MPI_FUNCTION(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made))
MASLIN_MPI_FUNCTION(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made))
MASLIN_MPI_FUNCTION(Comm_split_type, (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* made))
MASLIN_MPI_FUNCTION(Comm_set_info, (MPI_Comm comm, MPI_Info info))
MASLIN_MPI_FUNCTION(Comm_get_info, (MPI_Comm comm, MPI_Info* used))
MASLIN_MPI_FUNCTION(Comm_get_parent, (MPI_Comm * parent))
MASLIN_MPI_FUNCTION(Comm_free, (MPI_Comm * comm))
MASLIN_MPI_FUNCTION(Comm_disconnect, (MPI_Comm * comm))
MASLIN_MPI_FUNCTION(Comm_set_name, (MPI_Comm comm, const char* name))
MASLIN_MPI_FUNCTION(Comm_get_name, (MPI_Comm comm, char* name, int* length))
MASLIN_MPI_FUNCTION(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made))
MASLIN_MPI_FUNCTION(Comm_idup, (MPI_Comm comm, MPI_Comm* made, MPI_Request* request))
MASLIN_MPI_FUNCTION(Comm_idup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* made, MPI_Request* request))
MASLIN_MPI_FUNCTION(Comm_test_inter, (MPI_Comm comm, int* flag))
MASLIN_MPI_FUNCTION(Comm_remote_size, (MPI_Comm comm, int* size))
MASLIN_MPI_FUNCTION(Comm_remote_group, (MPI_Comm comm, MPI_Group* group))
MASLIN_MPI_FUNCTION(Intercomm_create,
                    (MPI_Comm comm, int leader, MPI_Comm peers, int other_leader, int tag, MPI_Comm* made))
MASLIN_MPI_FUNCTION(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm* made))
MASLIN_MPI_FUNCTION(Comm_create_keyval,
                    (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function* remove, int* key, void* extra))
MASLIN_MPI_FUNCTION(Comm_free_keyval, (int* key))
MASLIN_MPI_FUNCTION(Comm_set_attr, (MPI_Comm comm, int key, void* value))
MASLIN_MPI_FUNCTION(Comm_get_attr, (MPI_Comm comm, int key, void* value, int* flag))
MASLIN_MPI_FUNCTION(Comm_delete_attr, (MPI_Comm comm, int key))
MASLIN_MPI_FUNCTION(Keyval_create, (MPI_Copy_function * copy, MPI_Delete_function* remove, int* key, void* extra))
MASLIN_MPI_FUNCTION(Keyval_free, (int* key))
MASLIN_MPI_FUNCTION(Attr_put, (MPI_Comm comm, int key, void* value))
MASLIN_MPI_FUNCTION(Attr_get, (MPI_Comm comm, int key, void* value, int* flag))
MASLIN_MPI_FUNCTION(Attr_delete, (MPI_Comm comm, int key))

/* Grids. */
MASLIN_MPI_FUNCTION(Cart_create,
                    (MPI_Comm comm, int dimensions, const int* sizes, const int* periods, int reorder, MPI_Comm* made))
MASLIN_MPI_FUNCTION(Cart_get, (MPI_Comm comm, int dimensions, int* sizes, int* periods, int* coordinates))
MASLIN_MPI_FUNCTION(Cart_coords, (MPI_Comm comm, int rank, int dimensions, int* coordinates))
MASLIN_MPI_FUNCTION(Cart_rank, (MPI_Comm comm, const int* coordinates, int* rank))
MASLIN_MPI_FUNCTION(Cart_shift, (MPI_Comm comm, int dimension, int by, int* from, int* to))
MASLIN_MPI_FUNCTION(Cart_sub, (MPI_Comm comm, const int* remain, MPI_Comm* made))
MASLIN_MPI_FUNCTION(Cartdim_get, (MPI_Comm comm, int* dimensions))
MASLIN_MPI_FUNCTION(Cart_map, (MPI_Comm comm, int dimensions, const int* sizes, const int* periods, int* rank))
MASLIN_MPI_FUNCTION(Dims_create, (int ranks, int dimensions, int* sizes))
MASLIN_MPI_FUNCTION(Topo_test, (MPI_Comm comm, int* kind))

/* Graphs, and calls of neighbours in a grid or graph. */
MASLIN_MPI_FUNCTION(Graph_create,
                    (MPI_Comm comm, int nodes, const int* index, const int* edges, int reorder, MPI_Comm* made))
MASLIN_MPI_FUNCTION(Graphdims_get, (MPI_Comm comm, int* nodes, int* edges))
MASLIN_MPI_FUNCTION(Graph_get, (MPI_Comm comm, int most_nodes, int most_edges, int* index, int* edges))
MASLIN_MPI_FUNCTION(Graph_neighbors_count, (MPI_Comm comm, int rank, int* count))
MASLIN_MPI_FUNCTION(Graph_neighbors, (MPI_Comm comm, int rank, int most, int* ranks))
MASLIN_MPI_FUNCTION(Graph_map, (MPI_Comm comm, int nodes, const int* index, const int* edges, int* rank))
MASLIN_MPI_FUNCTION(Dist_graph_create_adjacent,
                    (MPI_Comm comm, int in_degree, const int* sources, const int* source_weights, int out_degree,
                     const int* destinations, const int* destination_weights, MPI_Info info, int reorder,
                     MPI_Comm* made))
MASLIN_MPI_FUNCTION(Dist_graph_create,
                    (MPI_Comm comm, int count, const int* sources, const int* degrees, const int* destinations,
                     const int* weights, MPI_Info info, int reorder, MPI_Comm* made))
MASLIN_MPI_FUNCTION(Dist_graph_neighbors_count, (MPI_Comm comm, int* in_degree, int* out_degree, int* weighted))
MASLIN_MPI_FUNCTION(Dist_graph_neighbors, (MPI_Comm comm, int most_in, int* sources, int* source_weights, int most_out,
                                           int* destinations, int* destination_weights))
MASLIN_MPI_FUNCTION(Neighbor_allgather, (const void* data, int count, MPI_Datatype type, void* into, int room,
                                         MPI_Datatype into_type, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Neighbor_allgatherv, (const void* data, int count, MPI_Datatype type, void* into, const int* rooms,
                                          const int* displacements, MPI_Datatype into_type, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Neighbor_alltoall, (const void* data, int count, MPI_Datatype type, void* into, int room,
                                        MPI_Datatype into_type, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Neighbor_alltoallv,
                    (const void* data, const int* counts, const int* displacements, MPI_Datatype type, void* into,
                     const int* rooms, const int* into_displacements, MPI_Datatype into_type, MPI_Comm comm))
MASLIN_MPI_FUNCTION(Neighbor_alltoallw,
                    (const void* data, const int* counts, const MPI_Aint* displacements, const MPI_Datatype* types,
                     void* into, const int* rooms, const MPI_Aint* into_displacements, const MPI_Datatype* into_types,
                     MPI_Comm comm))
MASLIN_MPI_FUNCTION(Ineighbor_allgather, (const void* data, int count, MPI_Datatype type, void* into, int room,
                                          MPI_Datatype into_type, MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Ineighbor_allgatherv,
                    (const void* data, int count, MPI_Datatype type, void* into, const int* rooms,
                     const int* displacements, MPI_Datatype into_type, MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Ineighbor_alltoall, (const void* data, int count, MPI_Datatype type, void* into, int room,
                                         MPI_Datatype into_type, MPI_Comm comm, MPI_Request* request))
MASLIN_MPI_FUNCTION(Ineighbor_alltoallv,
                    (const void* data, const int* counts, const int* displacements, MPI_Datatype type, void* into,
                     const int* rooms, const int* into_displacements, MPI_Datatype into_type, MPI_Comm comm,
                     MPI_Request* request))
MASLIN_MPI_FUNCTION(Ineighbor_alltoallw,
                    (const void* data, const int* counts, const MPI_Aint* displacements, const MPI_Datatype* types,
                     void* into, const int* rooms, const MPI_Aint* into_displacements, const MPI_Datatype* into_types,
                     MPI_Comm comm, MPI_Request* request))

/* Persistent calls of all ranks: MPI_Start begins one, again and again. */
MASLIN_MPI_FUNCTION(Barrier_init, (MPI_Comm comm, MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Bcast_init, (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                                 MPI_Request* request))
MASLIN_MPI_FUNCTION(Gather_init, (const void* data, int count, MPI_Datatype type, void* into, int room,
                                  MPI_Datatype into_type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Gatherv_init, (const void* data, int count, MPI_Datatype type, void* into, const int* rooms,
                                   const int* displacements, MPI_Datatype into_type, int root, MPI_Comm comm,
                                   MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Scatter_init,
                    (const void* data, int count, MPI_Datatype type, void* into, int room, MPI_Datatype into_type,
                     int root, MPI_Comm comm, MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Scatterv_init,
                    (const void* data, const int* counts, const int* displacements, MPI_Datatype type, void* into,
                     int room, MPI_Datatype into_type, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Allgather_init, (const void* data, int count, MPI_Datatype type, void* into, int room,
                                     MPI_Datatype into_type, MPI_Comm comm, MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Allgatherv_init, (const void* data, int count, MPI_Datatype type, void* into, const int* rooms,
                                      const int* displacements, MPI_Datatype into_type, MPI_Comm comm, MPI_Info info,
                                      MPI_Request* request))
MASLIN_MPI_FUNCTION(Alltoall_init, (const void* data, int count, MPI_Datatype type, void* into, int room,
                                    MPI_Datatype into_type, MPI_Comm comm, MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Alltoallv_init, (const void* data, const int* counts, const int* displacements, MPI_Datatype type,
                                     void* into, const int* rooms, const int* into_displacements,
                                     MPI_Datatype into_type, MPI_Comm comm, MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Alltoallw_init,
                    (const void* data, const int* counts, const int* displacements, const MPI_Datatype* types,
                     void* into, const int* rooms, const int* into_displacements, const MPI_Datatype* into_types,
                     MPI_Comm comm, MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Reduce_init, (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, int root,
                                  MPI_Comm comm, MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Allreduce_init, (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op,
                                     MPI_Comm comm, MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Reduce_scatter_init, (const void* data, void* result, const int* counts, MPI_Datatype type,
                                          MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Reduce_scatter_block_init, (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op,
                                                MPI_Comm comm, MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Scan_init, (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Exscan_init, (const void* data, void* result, int count, MPI_Datatype type, MPI_Op op,
                                  MPI_Comm comm, MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Neighbor_allgather_init,
                    (const void* data, int count, MPI_Datatype type, void* into, int room, MPI_Datatype into_type,
                     MPI_Comm comm, MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Neighbor_allgatherv_init, (const void* data, int count, MPI_Datatype type, void* into,
                                               const int* rooms, const int* displacements, MPI_Datatype into_type,
                                               MPI_Comm comm, MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Neighbor_alltoall_init,
                    (const void* data, int count, MPI_Datatype type, void* into, int room, MPI_Datatype into_type,
                     MPI_Comm comm, MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Neighbor_alltoallv_init,
                    (const void* data, const int* counts, const int* displacements, MPI_Datatype type, void* into,
                     const int* rooms, const int* into_displacements, MPI_Datatype into_type, MPI_Comm comm,
                     MPI_Info info, MPI_Request* request))
MASLIN_MPI_FUNCTION(Neighbor_alltoallw_init,
                    (const void* data, const int* counts, const MPI_Aint* displacements, const MPI_Datatype* types,
                     void* into, const int* rooms, const MPI_Aint* into_displacements, const MPI_Datatype* into_types,
                     MPI_Comm comm, MPI_Info info, MPI_Request* request))

/* Errors. */
MASLIN_MPI_FUNCTION(Comm_create_errhandler, (MPI_Comm_errhandler_function * function, MPI_Errhandler* handler))
MASLIN_MPI_FUNCTION(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler))
MASLIN_MPI_FUNCTION(Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler* handler))
MASLIN_MPI_FUNCTION(Comm_call_errhandler, (MPI_Comm comm, int code))
MASLIN_MPI_FUNCTION(Errhandler_create, (MPI_Handler_function * function, MPI_Errhandler* handler))
MASLIN_MPI_FUNCTION(Errhandler_set, (MPI_Comm comm, MPI_Errhandler handler))
MASLIN_MPI_FUNCTION(Errhandler_get, (MPI_Comm comm, MPI_Errhandler* handler))
MASLIN_MPI_FUNCTION(Errhandler_free, (MPI_Errhandler * handler))
MASLIN_MPI_FUNCTION(Add_error_class, (int* error_class))
MASLIN_MPI_FUNCTION(Add_error_code, (int error_class, int* code))
MASLIN_MPI_FUNCTION(Add_error_string, (int code, const char* text))
MASLIN_MPI_FUNCTION(Error_class, (int code, int* error_class))
MASLIN_MPI_FUNCTION(Error_string, (int code, char* text, int* length))

/* Hints. They are kept and have no effect. */
MASLIN_MPI_FUNCTION(Info_create, (MPI_Info * info))
MASLIN_MPI_FUNCTION(Info_create_env, (int argc, char** argv, MPI_Info* info))
MASLIN_MPI_FUNCTION(Info_set, (MPI_Info info, const char* key, const char* value))
MASLIN_MPI_FUNCTION(Info_get, (MPI_Info info, const char* key, int room, char* value, int* flag))
MASLIN_MPI_FUNCTION(Info_get_string, (MPI_Info info, const char* key, int* room, char* value, int* flag))
MASLIN_MPI_FUNCTION(Info_get_valuelen, (MPI_Info info, const char* key, int* length, int* flag))
MASLIN_MPI_FUNCTION(Info_get_nkeys, (MPI_Info info, int* count))
MASLIN_MPI_FUNCTION(Info_get_nthkey, (MPI_Info info, int index, char* key))
MASLIN_MPI_FUNCTION(Info_delete, (MPI_Info info, const char* key))
MASLIN_MPI_FUNCTION(Info_dup, (MPI_Info info, MPI_Info* made))
MASLIN_MPI_FUNCTION(Info_free, (MPI_Info * info))

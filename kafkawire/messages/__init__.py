"""Every request and response of Kafka, and the messages that live in topics and files: one typed class each.

::

    from kafkawire import messages

    body = messages.MetadataRequest(topics=[messages.MetadataRequest.Topic(name="events")]).encode(version=9)
    response = messages.MetadataResponse.decode(data, version=9)

A class holds all versions of its message, those of Kafka 0.8 to 4.4. The names are Kafka's own, fields in snake case.
The modules are grouped by subject and imported when a class of theirs is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kafkawire.messages.api_keys import (
    ApiKey,
    request_class,
    request_header_version,
    response_class,
    response_header_version,
)

if TYPE_CHECKING:
    # isort: off
    from kafkawire.messages.broker_files import (
        AbortedTxn as AbortedTxn,
        DefaultPrincipalData as DefaultPrincipalData,
        ProducerSnapshot as ProducerSnapshot,
        QuorumStateData as QuorumStateData,
    )
    from kafkawire.messages.brokers import (
        BrokerHeartbeatRequest as BrokerHeartbeatRequest,
        BrokerHeartbeatResponse as BrokerHeartbeatResponse,
        BrokerRegistrationRequest as BrokerRegistrationRequest,
        BrokerRegistrationResponse as BrokerRegistrationResponse,
        ControllerRegistrationRequest as ControllerRegistrationRequest,
        ControllerRegistrationResponse as ControllerRegistrationResponse,
        UnregisterBrokerRequest as UnregisterBrokerRequest,
        UnregisterBrokerResponse as UnregisterBrokerResponse,
        UnregisterControllerRequest as UnregisterControllerRequest,
        UnregisterControllerResponse as UnregisterControllerResponse,
        UpdateFeaturesRequest as UpdateFeaturesRequest,
        UpdateFeaturesResponse as UpdateFeaturesResponse,
    )
    from kafkawire.messages.configs import (
        AlterClientQuotasRequest as AlterClientQuotasRequest,
        AlterClientQuotasResponse as AlterClientQuotasResponse,
        AlterConfigsRequest as AlterConfigsRequest,
        AlterConfigsResponse as AlterConfigsResponse,
        DescribeClientQuotasRequest as DescribeClientQuotasRequest,
        DescribeClientQuotasResponse as DescribeClientQuotasResponse,
        DescribeConfigsRequest as DescribeConfigsRequest,
        DescribeConfigsResponse as DescribeConfigsResponse,
        IncrementalAlterConfigsRequest as IncrementalAlterConfigsRequest,
        IncrementalAlterConfigsResponse as IncrementalAlterConfigsResponse,
        ListClientMetricsResourcesRequest as ListClientMetricsResourcesRequest,
        ListClientMetricsResourcesResponse as ListClientMetricsResourcesResponse,
        ListConfigResourcesRequest as ListConfigResourcesRequest,
        ListConfigResourcesResponse as ListConfigResourcesResponse,
    )
    from kafkawire.messages.connection import (
        ApiVersionsRequest as ApiVersionsRequest,
        ApiVersionsResponse as ApiVersionsResponse,
        EnvelopeRequest as EnvelopeRequest,
        EnvelopeResponse as EnvelopeResponse,
        GetTelemetrySubscriptionsRequest as GetTelemetrySubscriptionsRequest,
        GetTelemetrySubscriptionsResponse as GetTelemetrySubscriptionsResponse,
        PushTelemetryRequest as PushTelemetryRequest,
        PushTelemetryResponse as PushTelemetryResponse,
        SaslAuthenticateRequest as SaslAuthenticateRequest,
        SaslAuthenticateResponse as SaslAuthenticateResponse,
        SaslHandshakeRequest as SaslHandshakeRequest,
        SaslHandshakeResponse as SaslHandshakeResponse,
    )
    from kafkawire.messages.consumer_groups import (
        ConsumerGroupDescribeRequest as ConsumerGroupDescribeRequest,
        ConsumerGroupDescribeResponse as ConsumerGroupDescribeResponse,
        ConsumerGroupHeartbeatRequest as ConsumerGroupHeartbeatRequest,
        ConsumerGroupHeartbeatResponse as ConsumerGroupHeartbeatResponse,
    )
    from kafkawire.messages.consumer_protocol import (
        ConsumerProtocolAssignment as ConsumerProtocolAssignment,
        ConsumerProtocolSubscription as ConsumerProtocolSubscription,
    )
    from kafkawire.messages.control_records import (
        ControlRecordTypeSchema as ControlRecordTypeSchema,
        EndTxnMarker as EndTxnMarker,
        KRaftVersionRecord as KRaftVersionRecord,
        LeaderChangeMessage as LeaderChangeMessage,
        SnapshotFooterRecord as SnapshotFooterRecord,
        SnapshotHeaderRecord as SnapshotHeaderRecord,
        VotersRecord as VotersRecord,
    )
    from kafkawire.messages.errors_table import (
        BrokerError as BrokerError,
        ERRORS as ERRORS,
        ErrorCode as ErrorCode,
        error_class as error_class,
        raise_for_code as raise_for_code,
    )
    from kafkawire.messages.group_records import (
        ConsumerGroupCurrentMemberAssignmentKey as ConsumerGroupCurrentMemberAssignmentKey,
        ConsumerGroupCurrentMemberAssignmentValue as ConsumerGroupCurrentMemberAssignmentValue,
        ConsumerGroupMemberMetadataKey as ConsumerGroupMemberMetadataKey,
        ConsumerGroupMemberMetadataValue as ConsumerGroupMemberMetadataValue,
        ConsumerGroupMetadataKey as ConsumerGroupMetadataKey,
        ConsumerGroupMetadataValue as ConsumerGroupMetadataValue,
        ConsumerGroupPartitionMetadataKey as ConsumerGroupPartitionMetadataKey,
        ConsumerGroupPartitionMetadataValue as ConsumerGroupPartitionMetadataValue,
        ConsumerGroupRegularExpressionKey as ConsumerGroupRegularExpressionKey,
        ConsumerGroupRegularExpressionValue as ConsumerGroupRegularExpressionValue,
        ConsumerGroupTargetAssignmentMemberKey as ConsumerGroupTargetAssignmentMemberKey,
        ConsumerGroupTargetAssignmentMemberValue as ConsumerGroupTargetAssignmentMemberValue,
        ConsumerGroupTargetAssignmentMetadataKey as ConsumerGroupTargetAssignmentMetadataKey,
        ConsumerGroupTargetAssignmentMetadataValue as ConsumerGroupTargetAssignmentMetadataValue,
        GroupMetadataKey as GroupMetadataKey,
        GroupMetadataValue as GroupMetadataValue,
        LegacyOffsetCommitKey as LegacyOffsetCommitKey,
        LegacyOffsetCommitValue as LegacyOffsetCommitValue,
        OffsetCommitKey as OffsetCommitKey,
        OffsetCommitValue as OffsetCommitValue,
    )
    from kafkawire.messages.groups import (
        DeleteGroupsRequest as DeleteGroupsRequest,
        DeleteGroupsResponse as DeleteGroupsResponse,
        DescribeGroupsRequest as DescribeGroupsRequest,
        DescribeGroupsResponse as DescribeGroupsResponse,
        FindCoordinatorRequest as FindCoordinatorRequest,
        FindCoordinatorResponse as FindCoordinatorResponse,
        HeartbeatRequest as HeartbeatRequest,
        HeartbeatResponse as HeartbeatResponse,
        JoinGroupRequest as JoinGroupRequest,
        JoinGroupResponse as JoinGroupResponse,
        LeaveGroupRequest as LeaveGroupRequest,
        LeaveGroupResponse as LeaveGroupResponse,
        ListGroupsRequest as ListGroupsRequest,
        ListGroupsResponse as ListGroupsResponse,
        SyncGroupRequest as SyncGroupRequest,
        SyncGroupResponse as SyncGroupResponse,
    )
    from kafkawire.messages.headers import RequestHeader as RequestHeader, ResponseHeader as ResponseHeader
    from kafkawire.messages.log_dirs import (
        AlterReplicaLogDirsRequest as AlterReplicaLogDirsRequest,
        AlterReplicaLogDirsResponse as AlterReplicaLogDirsResponse,
        AssignReplicasToDirsRequest as AssignReplicasToDirsRequest,
        AssignReplicasToDirsResponse as AssignReplicasToDirsResponse,
        DescribeLogDirsRequest as DescribeLogDirsRequest,
        DescribeLogDirsResponse as DescribeLogDirsResponse,
    )
    from kafkawire.messages.metadata import (
        DescribeClusterRequest as DescribeClusterRequest,
        DescribeClusterResponse as DescribeClusterResponse,
        DescribeTopicPartitionsRequest as DescribeTopicPartitionsRequest,
        DescribeTopicPartitionsResponse as DescribeTopicPartitionsResponse,
        MetadataRequest as MetadataRequest,
        MetadataResponse as MetadataResponse,
    )
    from kafkawire.messages.metadata_records import (
        AbortTransactionRecord as AbortTransactionRecord,
        AccessControlEntryRecord as AccessControlEntryRecord,
        BeginTransactionRecord as BeginTransactionRecord,
        BrokerRegistrationChangeRecord as BrokerRegistrationChangeRecord,
        ClearElrRecord as ClearElrRecord,
        ClientQuotaRecord as ClientQuotaRecord,
        ConfigRecord as ConfigRecord,
        DelegationTokenRecord as DelegationTokenRecord,
        EndTransactionRecord as EndTransactionRecord,
        FeatureLevelRecord as FeatureLevelRecord,
        FenceBrokerRecord as FenceBrokerRecord,
        NoOpRecord as NoOpRecord,
        PartitionChangeRecord as PartitionChangeRecord,
        PartitionRecord as PartitionRecord,
        ProducerIdsRecord as ProducerIdsRecord,
        RegisterBrokerRecord as RegisterBrokerRecord,
        RegisterControllerRecord as RegisterControllerRecord,
        RemoveAccessControlEntryRecord as RemoveAccessControlEntryRecord,
        RemoveDelegationTokenRecord as RemoveDelegationTokenRecord,
        RemoveTopicRecord as RemoveTopicRecord,
        RemoveUserScramCredentialRecord as RemoveUserScramCredentialRecord,
        TopicRecord as TopicRecord,
        UnfenceBrokerRecord as UnfenceBrokerRecord,
        UnregisterBrokerRecord as UnregisterBrokerRecord,
        UnregisterControllerRecord as UnregisterControllerRecord,
        UserScramCredentialRecord as UserScramCredentialRecord,
        ZkMigrationStateRecord as ZkMigrationStateRecord,
    )
    from kafkawire.messages.offsets import (
        OffsetCommitRequest as OffsetCommitRequest,
        OffsetCommitResponse as OffsetCommitResponse,
        OffsetDeleteRequest as OffsetDeleteRequest,
        OffsetDeleteResponse as OffsetDeleteResponse,
        OffsetFetchRequest as OffsetFetchRequest,
        OffsetFetchResponse as OffsetFetchResponse,
    )
    from kafkawire.messages.produce_fetch import (
        DeleteRecordsRequest as DeleteRecordsRequest,
        DeleteRecordsResponse as DeleteRecordsResponse,
        FetchRequest as FetchRequest,
        FetchResponse as FetchResponse,
        ListOffsetsRequest as ListOffsetsRequest,
        ListOffsetsResponse as ListOffsetsResponse,
        OffsetForLeaderEpochRequest as OffsetForLeaderEpochRequest,
        OffsetForLeaderEpochResponse as OffsetForLeaderEpochResponse,
        ProduceRequest as ProduceRequest,
        ProduceResponse as ProduceResponse,
    )
    from kafkawire.messages.raft import (
        AddRaftVoterRequest as AddRaftVoterRequest,
        AddRaftVoterResponse as AddRaftVoterResponse,
        BeginQuorumEpochRequest as BeginQuorumEpochRequest,
        BeginQuorumEpochResponse as BeginQuorumEpochResponse,
        DescribeQuorumRequest as DescribeQuorumRequest,
        DescribeQuorumResponse as DescribeQuorumResponse,
        EndQuorumEpochRequest as EndQuorumEpochRequest,
        EndQuorumEpochResponse as EndQuorumEpochResponse,
        FetchSnapshotRequest as FetchSnapshotRequest,
        FetchSnapshotResponse as FetchSnapshotResponse,
        RemoveRaftVoterRequest as RemoveRaftVoterRequest,
        RemoveRaftVoterResponse as RemoveRaftVoterResponse,
        UpdateRaftVoterRequest as UpdateRaftVoterRequest,
        UpdateRaftVoterResponse as UpdateRaftVoterResponse,
        VoteRequest as VoteRequest,
        VoteResponse as VoteResponse,
    )
    from kafkawire.messages.remote_log_records import (
        RemoteLogSegmentMetadataRecord as RemoteLogSegmentMetadataRecord,
        RemoteLogSegmentMetadataSnapshotRecord as RemoteLogSegmentMetadataSnapshotRecord,
        RemoteLogSegmentMetadataUpdateRecord as RemoteLogSegmentMetadataUpdateRecord,
        RemotePartitionDeleteMetadataRecord as RemotePartitionDeleteMetadataRecord,
    )
    from kafkawire.messages.replicas import (
        AlterPartitionRequest as AlterPartitionRequest,
        AlterPartitionResponse as AlterPartitionResponse,
        ControlledShutdownRequest as ControlledShutdownRequest,
        ControlledShutdownResponse as ControlledShutdownResponse,
        LeaderAndIsrRequest as LeaderAndIsrRequest,
        LeaderAndIsrResponse as LeaderAndIsrResponse,
        StopReplicaRequest as StopReplicaRequest,
        StopReplicaResponse as StopReplicaResponse,
        UpdateMetadataRequest as UpdateMetadataRequest,
        UpdateMetadataResponse as UpdateMetadataResponse,
    )
    from kafkawire.messages.security import (
        AlterUserScramCredentialsRequest as AlterUserScramCredentialsRequest,
        AlterUserScramCredentialsResponse as AlterUserScramCredentialsResponse,
        CreateAclsRequest as CreateAclsRequest,
        CreateAclsResponse as CreateAclsResponse,
        CreateDelegationTokenRequest as CreateDelegationTokenRequest,
        CreateDelegationTokenResponse as CreateDelegationTokenResponse,
        DeleteAclsRequest as DeleteAclsRequest,
        DeleteAclsResponse as DeleteAclsResponse,
        DescribeAclsRequest as DescribeAclsRequest,
        DescribeAclsResponse as DescribeAclsResponse,
        DescribeDelegationTokenRequest as DescribeDelegationTokenRequest,
        DescribeDelegationTokenResponse as DescribeDelegationTokenResponse,
        DescribeUserScramCredentialsRequest as DescribeUserScramCredentialsRequest,
        DescribeUserScramCredentialsResponse as DescribeUserScramCredentialsResponse,
        ExpireDelegationTokenRequest as ExpireDelegationTokenRequest,
        ExpireDelegationTokenResponse as ExpireDelegationTokenResponse,
        RenewDelegationTokenRequest as RenewDelegationTokenRequest,
        RenewDelegationTokenResponse as RenewDelegationTokenResponse,
    )
    from kafkawire.messages.share_group_records import (
        ShareGroupCurrentMemberAssignmentKey as ShareGroupCurrentMemberAssignmentKey,
        ShareGroupCurrentMemberAssignmentValue as ShareGroupCurrentMemberAssignmentValue,
        ShareGroupMemberMetadataKey as ShareGroupMemberMetadataKey,
        ShareGroupMemberMetadataValue as ShareGroupMemberMetadataValue,
        ShareGroupMetadataKey as ShareGroupMetadataKey,
        ShareGroupMetadataValue as ShareGroupMetadataValue,
        ShareGroupMetadataValue39 as ShareGroupMetadataValue39,
        ShareGroupPartitionMetadataKey as ShareGroupPartitionMetadataKey,
        ShareGroupPartitionMetadataValue as ShareGroupPartitionMetadataValue,
        ShareGroupStatePartitionMetadataKey as ShareGroupStatePartitionMetadataKey,
        ShareGroupStatePartitionMetadataValue as ShareGroupStatePartitionMetadataValue,
        ShareGroupTargetAssignmentMemberKey as ShareGroupTargetAssignmentMemberKey,
        ShareGroupTargetAssignmentMemberValue as ShareGroupTargetAssignmentMemberValue,
        ShareGroupTargetAssignmentMetadataKey as ShareGroupTargetAssignmentMetadataKey,
        ShareGroupTargetAssignmentMetadataValue as ShareGroupTargetAssignmentMetadataValue,
        ShareSnapshotKey as ShareSnapshotKey,
        ShareSnapshotValue as ShareSnapshotValue,
        ShareUpdateKey as ShareUpdateKey,
        ShareUpdateValue as ShareUpdateValue,
    )
    from kafkawire.messages.share_groups import (
        AlterShareGroupOffsetsRequest as AlterShareGroupOffsetsRequest,
        AlterShareGroupOffsetsResponse as AlterShareGroupOffsetsResponse,
        DeleteShareGroupOffsetsRequest as DeleteShareGroupOffsetsRequest,
        DeleteShareGroupOffsetsResponse as DeleteShareGroupOffsetsResponse,
        DescribeShareGroupOffsetsRequest as DescribeShareGroupOffsetsRequest,
        DescribeShareGroupOffsetsResponse as DescribeShareGroupOffsetsResponse,
        ShareAcknowledgeRequest as ShareAcknowledgeRequest,
        ShareAcknowledgeResponse as ShareAcknowledgeResponse,
        ShareFetchRequest as ShareFetchRequest,
        ShareFetchResponse as ShareFetchResponse,
        ShareGroupDescribeRequest as ShareGroupDescribeRequest,
        ShareGroupDescribeResponse as ShareGroupDescribeResponse,
        ShareGroupHeartbeatRequest as ShareGroupHeartbeatRequest,
        ShareGroupHeartbeatResponse as ShareGroupHeartbeatResponse,
    )
    from kafkawire.messages.share_state import (
        DeleteShareGroupStateRequest as DeleteShareGroupStateRequest,
        DeleteShareGroupStateResponse as DeleteShareGroupStateResponse,
        InitializeShareGroupStateRequest as InitializeShareGroupStateRequest,
        InitializeShareGroupStateResponse as InitializeShareGroupStateResponse,
        ReadShareGroupStateRequest as ReadShareGroupStateRequest,
        ReadShareGroupStateResponse as ReadShareGroupStateResponse,
        ReadShareGroupStateSummaryRequest as ReadShareGroupStateSummaryRequest,
        ReadShareGroupStateSummaryResponse as ReadShareGroupStateSummaryResponse,
        ReadShareGroupStateSummaryResponse39 as ReadShareGroupStateSummaryResponse39,
        WriteShareGroupStateRequest as WriteShareGroupStateRequest,
        WriteShareGroupStateResponse as WriteShareGroupStateResponse,
    )
    from kafkawire.messages.streams_group_records import (
        StreamsGroupCurrentMemberAssignmentKey as StreamsGroupCurrentMemberAssignmentKey,
        StreamsGroupCurrentMemberAssignmentValue as StreamsGroupCurrentMemberAssignmentValue,
        StreamsGroupMemberMetadataKey as StreamsGroupMemberMetadataKey,
        StreamsGroupMemberMetadataValue as StreamsGroupMemberMetadataValue,
        StreamsGroupMetadataKey as StreamsGroupMetadataKey,
        StreamsGroupMetadataValue as StreamsGroupMetadataValue,
        StreamsGroupTargetAssignmentMemberKey as StreamsGroupTargetAssignmentMemberKey,
        StreamsGroupTargetAssignmentMemberValue as StreamsGroupTargetAssignmentMemberValue,
        StreamsGroupTargetAssignmentMetadataKey as StreamsGroupTargetAssignmentMetadataKey,
        StreamsGroupTargetAssignmentMetadataValue as StreamsGroupTargetAssignmentMetadataValue,
        StreamsGroupTopologyKey as StreamsGroupTopologyKey,
        StreamsGroupTopologyValue as StreamsGroupTopologyValue,
    )
    from kafkawire.messages.streams_groups import (
        StreamsGroupDescribeRequest as StreamsGroupDescribeRequest,
        StreamsGroupDescribeResponse as StreamsGroupDescribeResponse,
        StreamsGroupHeartbeatRequest as StreamsGroupHeartbeatRequest,
        StreamsGroupHeartbeatResponse as StreamsGroupHeartbeatResponse,
        StreamsGroupTopologyDescriptionUpdateRequest as StreamsGroupTopologyDescriptionUpdateRequest,
        StreamsGroupTopologyDescriptionUpdateResponse as StreamsGroupTopologyDescriptionUpdateResponse,
    )
    from kafkawire.messages.topics import (
        AlterPartitionReassignmentsRequest as AlterPartitionReassignmentsRequest,
        AlterPartitionReassignmentsResponse as AlterPartitionReassignmentsResponse,
        CreatePartitionsRequest as CreatePartitionsRequest,
        CreatePartitionsResponse as CreatePartitionsResponse,
        CreateTopicsRequest as CreateTopicsRequest,
        CreateTopicsResponse as CreateTopicsResponse,
        DeleteTopicsRequest as DeleteTopicsRequest,
        DeleteTopicsResponse as DeleteTopicsResponse,
        ElectLeadersRequest as ElectLeadersRequest,
        ElectLeadersResponse as ElectLeadersResponse,
        ListPartitionReassignmentsRequest as ListPartitionReassignmentsRequest,
        ListPartitionReassignmentsResponse as ListPartitionReassignmentsResponse,
    )
    from kafkawire.messages.transaction_records import (
        TransactionLogKey as TransactionLogKey,
        TransactionLogValue as TransactionLogValue,
    )
    from kafkawire.messages.transactions import (
        AddOffsetsToTxnRequest as AddOffsetsToTxnRequest,
        AddOffsetsToTxnResponse as AddOffsetsToTxnResponse,
        AddPartitionsToTxnRequest as AddPartitionsToTxnRequest,
        AddPartitionsToTxnResponse as AddPartitionsToTxnResponse,
        AllocateProducerIdsRequest as AllocateProducerIdsRequest,
        AllocateProducerIdsResponse as AllocateProducerIdsResponse,
        DescribeProducersRequest as DescribeProducersRequest,
        DescribeProducersResponse as DescribeProducersResponse,
        DescribeTransactionsRequest as DescribeTransactionsRequest,
        DescribeTransactionsResponse as DescribeTransactionsResponse,
        EndTxnRequest as EndTxnRequest,
        EndTxnResponse as EndTxnResponse,
        InitProducerIdRequest as InitProducerIdRequest,
        InitProducerIdResponse as InitProducerIdResponse,
        ListTransactionsRequest as ListTransactionsRequest,
        ListTransactionsResponse as ListTransactionsResponse,
        TxnOffsetCommitRequest as TxnOffsetCommitRequest,
        TxnOffsetCommitResponse as TxnOffsetCommitResponse,
        WriteTxnMarkersRequest as WriteTxnMarkersRequest,
        WriteTxnMarkersResponse as WriteTxnMarkersResponse,
    )

# Where each class lives; the same as the imports above, for the interpreter. A test holds the two together.
_HOMES = {
    "broker_files": "AbortedTxn ProducerSnapshot QuorumStateData DefaultPrincipalData",
    "brokers": (
        "BrokerRegistrationRequest BrokerRegistrationResponse BrokerHeartbeatRequest BrokerHeartbeatResponse "
        "UnregisterBrokerRequest UnregisterBrokerResponse UpdateFeaturesRequest UpdateFeaturesResponse "
        "ControllerRegistrationRequest ControllerRegistrationResponse UnregisterControllerRequest "
        "UnregisterControllerResponse"
    ),
    "configs": (
        "DescribeConfigsRequest DescribeConfigsResponse AlterConfigsRequest AlterConfigsResponse "
        "IncrementalAlterConfigsRequest IncrementalAlterConfigsResponse ListConfigResourcesRequest "
        "ListConfigResourcesResponse ListClientMetricsResourcesRequest ListClientMetricsResourcesResponse "
        "DescribeClientQuotasRequest DescribeClientQuotasResponse AlterClientQuotasRequest "
        "AlterClientQuotasResponse"
    ),
    "connection": (
        "ApiVersionsRequest ApiVersionsResponse SaslHandshakeRequest SaslHandshakeResponse SaslAuthenticateRequest "
        "SaslAuthenticateResponse GetTelemetrySubscriptionsRequest GetTelemetrySubscriptionsResponse "
        "PushTelemetryRequest PushTelemetryResponse EnvelopeRequest EnvelopeResponse"
    ),
    "consumer_groups": (
        "ConsumerGroupHeartbeatRequest ConsumerGroupHeartbeatResponse ConsumerGroupDescribeRequest "
        "ConsumerGroupDescribeResponse"
    ),
    "consumer_protocol": "ConsumerProtocolSubscription ConsumerProtocolAssignment",
    "control_records": (
        "ControlRecordTypeSchema EndTxnMarker LeaderChangeMessage SnapshotHeaderRecord SnapshotFooterRecord "
        "KRaftVersionRecord VotersRecord"
    ),
    "errors_table": "ERRORS BrokerError ErrorCode error_class raise_for_code",
    "group_records": (
        "LegacyOffsetCommitKey LegacyOffsetCommitValue OffsetCommitKey OffsetCommitValue GroupMetadataKey "
        "GroupMetadataValue ConsumerGroupMetadataKey ConsumerGroupMetadataValue ConsumerGroupPartitionMetadataKey "
        "ConsumerGroupPartitionMetadataValue ConsumerGroupMemberMetadataKey ConsumerGroupMemberMetadataValue "
        "ConsumerGroupTargetAssignmentMetadataKey ConsumerGroupTargetAssignmentMetadataValue "
        "ConsumerGroupTargetAssignmentMemberKey ConsumerGroupTargetAssignmentMemberValue "
        "ConsumerGroupCurrentMemberAssignmentKey ConsumerGroupCurrentMemberAssignmentValue "
        "ConsumerGroupRegularExpressionKey ConsumerGroupRegularExpressionValue"
    ),
    "groups": (
        "FindCoordinatorRequest FindCoordinatorResponse JoinGroupRequest JoinGroupResponse SyncGroupRequest "
        "SyncGroupResponse HeartbeatRequest HeartbeatResponse LeaveGroupRequest LeaveGroupResponse "
        "DescribeGroupsRequest DescribeGroupsResponse ListGroupsRequest ListGroupsResponse DeleteGroupsRequest "
        "DeleteGroupsResponse"
    ),
    "headers": "RequestHeader ResponseHeader",
    "log_dirs": (
        "AlterReplicaLogDirsRequest AlterReplicaLogDirsResponse DescribeLogDirsRequest DescribeLogDirsResponse "
        "AssignReplicasToDirsRequest AssignReplicasToDirsResponse"
    ),
    "metadata": (
        "MetadataRequest MetadataResponse DescribeTopicPartitionsRequest DescribeTopicPartitionsResponse "
        "DescribeClusterRequest DescribeClusterResponse"
    ),
    "metadata_records": (
        "RegisterBrokerRecord UnregisterBrokerRecord TopicRecord PartitionRecord ConfigRecord "
        "PartitionChangeRecord AccessControlEntryRecord FenceBrokerRecord UnfenceBrokerRecord RemoveTopicRecord "
        "DelegationTokenRecord UserScramCredentialRecord FeatureLevelRecord ClientQuotaRecord ProducerIdsRecord "
        "BrokerRegistrationChangeRecord RemoveAccessControlEntryRecord NoOpRecord ZkMigrationStateRecord "
        "RemoveUserScramCredentialRecord BeginTransactionRecord EndTransactionRecord AbortTransactionRecord "
        "RemoveDelegationTokenRecord RegisterControllerRecord ClearElrRecord UnregisterControllerRecord"
    ),
    "offsets": (
        "OffsetCommitRequest OffsetCommitResponse OffsetFetchRequest OffsetFetchResponse OffsetDeleteRequest "
        "OffsetDeleteResponse"
    ),
    "produce_fetch": (
        "ProduceRequest ProduceResponse FetchRequest FetchResponse ListOffsetsRequest ListOffsetsResponse "
        "OffsetForLeaderEpochRequest OffsetForLeaderEpochResponse DeleteRecordsRequest DeleteRecordsResponse"
    ),
    "raft": (
        "VoteRequest VoteResponse BeginQuorumEpochRequest BeginQuorumEpochResponse EndQuorumEpochRequest "
        "EndQuorumEpochResponse DescribeQuorumRequest DescribeQuorumResponse FetchSnapshotRequest "
        "FetchSnapshotResponse AddRaftVoterRequest AddRaftVoterResponse RemoveRaftVoterRequest "
        "RemoveRaftVoterResponse UpdateRaftVoterRequest UpdateRaftVoterResponse"
    ),
    "remote_log_records": (
        "RemoteLogSegmentMetadataRecord RemoteLogSegmentMetadataUpdateRecord RemotePartitionDeleteMetadataRecord "
        "RemoteLogSegmentMetadataSnapshotRecord"
    ),
    "replicas": (
        "LeaderAndIsrRequest LeaderAndIsrResponse StopReplicaRequest StopReplicaResponse UpdateMetadataRequest "
        "UpdateMetadataResponse ControlledShutdownRequest ControlledShutdownResponse AlterPartitionRequest "
        "AlterPartitionResponse"
    ),
    "security": (
        "DescribeAclsRequest DescribeAclsResponse CreateAclsRequest CreateAclsResponse DeleteAclsRequest "
        "DeleteAclsResponse CreateDelegationTokenRequest CreateDelegationTokenResponse RenewDelegationTokenRequest "
        "RenewDelegationTokenResponse ExpireDelegationTokenRequest ExpireDelegationTokenResponse "
        "DescribeDelegationTokenRequest DescribeDelegationTokenResponse DescribeUserScramCredentialsRequest "
        "DescribeUserScramCredentialsResponse AlterUserScramCredentialsRequest AlterUserScramCredentialsResponse"
    ),
    "share_group_records": (
        "ShareGroupPartitionMetadataKey ShareGroupPartitionMetadataValue ShareGroupMemberMetadataKey "
        "ShareGroupMemberMetadataValue ShareGroupMetadataKey ShareGroupMetadataValue ShareGroupMetadataValue39 "
        "ShareGroupTargetAssignmentMetadataKey ShareGroupTargetAssignmentMetadataValue "
        "ShareGroupTargetAssignmentMemberKey ShareGroupTargetAssignmentMemberValue "
        "ShareGroupCurrentMemberAssignmentKey ShareGroupCurrentMemberAssignmentValue "
        "ShareGroupStatePartitionMetadataKey ShareGroupStatePartitionMetadataValue ShareSnapshotKey "
        "ShareSnapshotValue ShareUpdateKey ShareUpdateValue"
    ),
    "share_groups": (
        "ShareGroupHeartbeatRequest ShareGroupHeartbeatResponse ShareGroupDescribeRequest "
        "ShareGroupDescribeResponse ShareFetchRequest ShareFetchResponse ShareAcknowledgeRequest "
        "ShareAcknowledgeResponse DescribeShareGroupOffsetsRequest DescribeShareGroupOffsetsResponse "
        "AlterShareGroupOffsetsRequest AlterShareGroupOffsetsResponse DeleteShareGroupOffsetsRequest "
        "DeleteShareGroupOffsetsResponse"
    ),
    "share_state": (
        "InitializeShareGroupStateRequest InitializeShareGroupStateResponse ReadShareGroupStateRequest "
        "ReadShareGroupStateResponse WriteShareGroupStateRequest WriteShareGroupStateResponse "
        "DeleteShareGroupStateRequest DeleteShareGroupStateResponse ReadShareGroupStateSummaryRequest "
        "ReadShareGroupStateSummaryResponse ReadShareGroupStateSummaryResponse39"
    ),
    "streams_group_records": (
        "StreamsGroupMetadataKey StreamsGroupMetadataValue StreamsGroupMemberMetadataKey "
        "StreamsGroupMemberMetadataValue StreamsGroupTargetAssignmentMetadataKey "
        "StreamsGroupTargetAssignmentMetadataValue StreamsGroupTargetAssignmentMemberKey "
        "StreamsGroupTargetAssignmentMemberValue StreamsGroupCurrentMemberAssignmentKey "
        "StreamsGroupCurrentMemberAssignmentValue StreamsGroupTopologyKey StreamsGroupTopologyValue"
    ),
    "streams_groups": (
        "StreamsGroupHeartbeatRequest StreamsGroupHeartbeatResponse StreamsGroupDescribeRequest "
        "StreamsGroupDescribeResponse StreamsGroupTopologyDescriptionUpdateRequest "
        "StreamsGroupTopologyDescriptionUpdateResponse"
    ),
    "topics": (
        "CreateTopicsRequest CreateTopicsResponse DeleteTopicsRequest DeleteTopicsResponse CreatePartitionsRequest "
        "CreatePartitionsResponse AlterPartitionReassignmentsRequest AlterPartitionReassignmentsResponse "
        "ListPartitionReassignmentsRequest ListPartitionReassignmentsResponse ElectLeadersRequest "
        "ElectLeadersResponse"
    ),
    "transaction_records": "TransactionLogKey TransactionLogValue",
    "transactions": (
        "InitProducerIdRequest InitProducerIdResponse AddPartitionsToTxnRequest AddPartitionsToTxnResponse "
        "AddOffsetsToTxnRequest AddOffsetsToTxnResponse EndTxnRequest EndTxnResponse WriteTxnMarkersRequest "
        "WriteTxnMarkersResponse TxnOffsetCommitRequest TxnOffsetCommitResponse DescribeProducersRequest "
        "DescribeProducersResponse DescribeTransactionsRequest DescribeTransactionsResponse "
        "ListTransactionsRequest ListTransactionsResponse AllocateProducerIdsRequest AllocateProducerIdsResponse"
    ),
}

_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = [
    "ApiKey",
    "request_class",
    "request_header_version",
    "response_class",
    "response_header_version",
]
__all__ += _HOME


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})

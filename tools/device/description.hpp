// Device descriptions and faults as JSON, in both directions.
#pragma once

#include "device/worker_client.hpp"

#include <string_view>

namespace kernelloop {

DeviceDescription description_from_json(const Json& json);

Json fault_to_json(const Fault& fault);
Fault fault_from_json(const Json& json);
FaultKind fault_kind_of(std::string_view name);  // FaultKind::other for an unknown name

}  // namespace kernelloop

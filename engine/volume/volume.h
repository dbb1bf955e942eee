// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "object/object_set.h"

#include <memory>

namespace millpond::volume {

/// A block volume or a snapshot of one: the read side. Thread-safe.
class Volume
{
public:
    [[nodiscard]] static Result<std::shared_ptr<Volume>>
    open(std::shared_ptr<object::ObjectSet> objset, const block::ReadContext& context = {});

    [[nodiscard]] ByteCount size() const { return m_size; }

    [[nodiscard]] ByteCount blockSize() const;
    /// InvalidArgument for a range past the end.
    [[nodiscard]] Status
    read(ByteOffset offset, MutableBytes out, const block::ReadContext& context = {});

private:
    Volume(std::shared_ptr<object::ObjectSet> objset, object::DnodeRef data, ByteCount size);

    std::shared_ptr<object::ObjectSet> m_objset;
    object::DnodeRef m_data;
    ByteCount m_size;
};

} // namespace millpond::volume
